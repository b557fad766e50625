"""Tiers and what they earn."""
from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal


@dataclass(frozen=True)
class Tier:
    name: str
    threshold: int
    rate: Decimal

    def points_for(self, amount: Decimal) -> int:
        """Points for a purchase: whole euros times the rate, rounded down."""
        if amount < 0:
            raise ValueError(f"a purchase cannot be negative: {amount}")
        euros = amount.to_integral_value(rounding=ROUND_FLOOR)
        return int((euros * self.rate).to_integral_value(rounding=ROUND_FLOOR))


BRONZE = Tier("bronze", 0, Decimal("1"))
SILVER = Tier("silver", 1000, Decimal("1.25"))
GOLD = Tier("gold", 5000, Decimal("1.5"))
TIERS = (GOLD, SILVER, BRONZE)


def tier_for(points: int) -> Tier:
    """The highest tier whose threshold was reached."""
    if points < 0:
        raise ValueError(f"points cannot be negative: {points}")
    for tier in TIERS:
        if points >= tier.threshold:
            return tier
    raise AssertionError("bronze starts at 0")
