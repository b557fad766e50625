"""Amounts in the smallest unit of their currency."""
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

DIGITS = {"EUR": 2, "USD": 2, "GBP": 2, "JPY": 0, "KWD": 3}


class MoneyError(ValueError):
    pass


@dataclass(frozen=True, order=False)
class Money:
    minor: int
    currency: str = "EUR"

    @classmethod
    def of(cls, text, currency="EUR"):
        """`Money.of("12.50")`; more digits than the currency has are refused."""
        if currency not in DIGITS:
            raise MoneyError("unknown currency %s" % currency)
        try:
            value = Decimal(text)
        except InvalidOperation:
            raise MoneyError("not an amount: %r" % text) from None
        scaled = value.scaleb(DIGITS[currency])
        if scaled != scaled.to_integral_value():
            raise MoneyError("%s has %d digits" % (currency, DIGITS[currency]))
        return cls(int(scaled), currency)

    def _same(self, other):
        if self.currency != other.currency:
            raise MoneyError("%s and %s" % (self.currency, other.currency))
        return other

    def __add__(self, other):
        return Money(self.minor + self._same(other).minor, self.currency)

    def __sub__(self, other):
        return Money(self.minor - self._same(other).minor, self.currency)

    def __neg__(self):
        return Money(-self.minor, self.currency)

    def __lt__(self, other):
        return self.minor < self._same(other).minor

    def __bool__(self):
        return self.minor != 0

    def times(self, factor, even=False):
        """The product, rounded half up (half even on request)."""
        exact = Decimal(self.minor) * Decimal(str(factor))
        mode = ROUND_HALF_EVEN if even else ROUND_HALF_UP
        return Money(int(exact.quantize(Decimal(1), rounding=mode)), self.currency)

    def __str__(self):
        digits = DIGITS[self.currency]
        sign = "-" if self.minor < 0 else ""
        whole, rest = divmod(abs(self.minor), 10 ** digits)
        text = "{:,}".format(whole)
        if digits:
            text += "." + str(rest).zfill(digits)
        return "%s%s %s" % (sign, text, self.currency)


def allocate(amount, weights):
    """Parts of an amount in proportion to weights; no cent is lost, the first parts get the rest."""
    if not weights or any(weight < 0 for weight in weights) or sum(weights) == 0:
        raise MoneyError("weights must be positive")
    whole = sum(weights)
    parts = [amount.minor * weight // whole for weight in weights]
    rest = amount.minor - sum(parts)
    for index in range(rest):
        parts[index] += 1
    return [Money(part, amount.currency) for part in parts]
