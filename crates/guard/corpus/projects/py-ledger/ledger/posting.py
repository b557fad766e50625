"""Accounts and double-entry postings."""
import logging
from dataclasses import dataclass, field

from ledger.money import Money

log = logging.getLogger(__name__)


class LedgerError(Exception):
    pass


@dataclass
class Account:
    name: str
    balance: int = 0


@dataclass
class Ledger:
    accounts: dict[str, Account] = field(default_factory=dict)
    history: list[tuple[str, str, int]] = field(default_factory=list)

    def open(self, name: str) -> Account:
        if name in self.accounts:
            raise LedgerError(f"account exists: {name}")
        account = Account(name)
        self.accounts[name] = account
        return account

    def post(self, debit: str, credit: str, amount: Money) -> None:
        if amount.cents <= 0:
            raise LedgerError("amount must be positive")
        try:
            source, target = self.accounts[debit], self.accounts[credit]
        except KeyError as error:
            log.warning("unknown account %s", error)
            raise LedgerError(f"unknown account: {error.args[0]}") from error
        source.balance -= amount.cents
        target.balance += amount.cents
        self.history.append((debit, credit, amount.cents))

    def total(self) -> int:
        return sum(account.balance for account in self.accounts.values())

    def statement(self, name: str) -> list[str]:
        return [f"{d}->{c} {amount}" for d, c, amount in self.history if name in (d, c)]
