"""Invoices with lines."""
from billing.tax import gross

LIMIT = 20


class InvoiceError(ValueError):
    """An invoice that cannot be."""


class Invoice:
    def __init__(self, number: str, country: str = "DE") -> None:
        if not number:
            raise InvoiceError("an invoice needs a number")
        self.number = number
        self.country = country
        self.lines: list[tuple[str, int, int]] = []

    def add(self, text: str, quantity: int, price: int) -> None:
        if quantity <= 0:
            raise InvoiceError("quantity must be positive")
        if len(self.lines) >= LIMIT:
            raise InvoiceError("too many lines")
        self.lines.append((text, quantity, price))

    def net(self) -> int:
        return sum(quantity * price for _, quantity, price in self.lines)

    def total(self) -> int:
        return gross(self.net(), self.country)


def format_cents(cents: int) -> str:
    """Euros and cents.

    >>> format_cents(1250)
    '12.50'
    """
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def invoice_number(year: int, index: int) -> str:
    if index < 1:
        raise InvoiceError("index starts at one")
    return f"{year}-{index:04d}"


def discount(cents: int, percent: int) -> int:
    if not 0 <= percent <= 100:
        raise InvoiceError("invalid percent")
    return cents - cents * percent // 100
