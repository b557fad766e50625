"""Amounts in whole cents."""
from dataclasses import dataclass

MAX_CENTS = 1_000_000_000
SYMBOL = "$"


def parse_cents(text: str) -> int:
    """Reads "12.34" as 1234."""
    text = text.strip().lstrip(SYMBOL)
    if not text:
        raise ValueError("empty amount")
    whole, _, fraction = text.partition(".")
    if len(fraction) > 2:
        raise ValueError(f"too many decimals: {text}")
    cents = int(whole) * 100 + int(fraction.ljust(2, "0") or 0)
    if cents > MAX_CENTS:
        raise ValueError("amount too large")
    return cents


def format_cents(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    cents = abs(cents)
    return f"{sign}{SYMBOL}{cents // 100:,}.{cents % 100:02d}"


def allocate(cents: int, parts: int) -> list[int]:
    """Splits so that the sum is exact and the parts differ by at most one cent."""
    if parts <= 0:
        raise ValueError("parts must be positive")
    share, rest = divmod(cents, parts)
    return [share + 1] * rest + [share] * (parts - rest)


def percent_of(cents: int, percent: float) -> int:
    if percent < 0:
        raise ValueError("negative percent")
    return round(cents * percent / 100)


def legacy_format(cents: int) -> str:
    return f"{cents / 100:.2f}"


@dataclass(frozen=True)
class Money:
    cents: int
    currency: str = "USD"

    def __add__(self, other: "Money") -> "Money":
        if self.currency != other.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency}")
        return Money(self.cents + other.cents, self.currency)

    def __str__(self) -> str:
        return format_cents(self.cents)
