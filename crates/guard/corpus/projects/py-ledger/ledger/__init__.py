from ledger.money import Money, allocate, format_cents, parse_cents
from ledger.posting import Account, Ledger, LedgerError

__all__ = ["Money", "allocate", "format_cents", "parse_cents", "Account", "Ledger", "LedgerError"]
