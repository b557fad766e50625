from .discount import Percent, Fixed, Volume
from .document import Invoice, Line
from .money import Money, MoneyError, allocate
from .numbering import Numbers, check_digit, valid_number
from .tax import RATES, UnknownRate, rate_for, tax_of

__all__ = [
    "Fixed", "Invoice", "Line", "Money", "MoneyError", "Numbers", "Percent", "RATES", "UnknownRate", "Volume",
    "allocate", "check_digit", "rate_for", "tax_of", "valid_number",
]
