"""Invoices and their lines."""
import datetime
from dataclasses import dataclass, field
from typing import Optional

from .money import Money, MoneyError
from .tax import tax_of


@dataclass
class Line:
    text: str
    price: Money
    quantity: int = 1
    kind: str = "standard"
    discount: Optional[object] = None

    def __post_init__(self):
        if self.quantity < 1:
            raise ValueError("quantity must be positive")

    def net(self):
        full = self.price.times(self.quantity)
        return full - self.discount.off(full, self.quantity) if self.discount else full


@dataclass
class Invoice:
    number: str
    date: datetime.date
    country: str = "DE"
    currency: str = "EUR"
    reverse_charge: bool = False
    days: int = 14
    lines: list = field(default_factory=list)
    paid: list = field(default_factory=list)

    def add(self, line):
        if line.price.currency != self.currency:
            raise MoneyError("the invoice is in %s" % self.currency)
        self.lines.append(line)
        return self

    def net(self):
        total = Money(0, self.currency)
        for line in self.lines:
            total += line.net()
        return total

    def taxes(self):
        """Tax per kind, from the sum of the lines of the kind."""
        sums = {}
        for line in self.lines:
            sums[line.kind] = sums.get(line.kind, Money(0, self.currency)) + line.net()
        return {kind: tax_of(net, self.country, kind, self.reverse_charge) for kind, net in sums.items()}

    def gross(self):
        total = self.net()
        for tax in self.taxes().values():
            total += tax
        return total

    def pay(self, amount):
        if amount.minor <= 0:
            raise MoneyError("a payment is positive")
        if self.open() < amount:
            raise MoneyError("more than is open")
        self.paid.append(amount)

    def open(self):
        rest = self.gross()
        for amount in self.paid:
            rest -= amount
        return rest

    def due(self):
        """The last day to pay; weekends move it to Monday."""
        day = self.date + datetime.timedelta(days=self.days)
        if day.weekday() >= 5:
            day += datetime.timedelta(days=7 - day.weekday())
        return day

    def overdue(self, today):
        return bool(self.open()) and today > self.due()

    def render(self):
        rows = ["Invoice %s of %s" % (self.number, self.date.isoformat())]
        for line in self.lines:
            rows.append("%3d x %-20s %14s" % (line.quantity, line.text[:20], line.net()))
        rows.append("%-26s %14s" % ("net", self.net()))
        for kind, tax in sorted(self.taxes().items()):
            rows.append("%-26s %14s" % ("tax " + kind, tax))
        rows.append("%-26s %14s" % ("total", self.gross()))
        return "\n".join(rows) + "\n"
