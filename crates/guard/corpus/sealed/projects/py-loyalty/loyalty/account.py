"""An account: entries of points, spent oldest first."""
from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from .tiers import Tier, tier_for

LIFETIME = dt.timedelta(days=365)
STEP = 100
LARGEST_REDEMPTION = 50_000


class InsufficientPoints(Exception):
    """More points were asked for than are left."""


class InvalidRedemption(ValueError):
    """An amount of points that cannot be redeemed."""


@dataclass
class Entry:
    earned: dt.date
    points: int
    left: int

    def expires(self) -> dt.date:
        return self.earned + LIFETIME


@dataclass
class Account:
    owner: str
    entries: list[Entry] = field(default_factory=list)
    notify: Callable[[str, str], None] | None = None

    def balance(self, on: dt.date) -> int:
        return sum(entry.left for entry in self._live(on))

    def tier(self, on: dt.date) -> Tier:
        earned = sum(e.points for e in self.entries if e.earned <= on < e.expires())
        return tier_for(earned)

    def purchase(self, amount: Decimal, on: dt.date) -> int:
        """Add the points of a purchase, and tell the owner about a new tier."""
        before = self.tier(on)
        points = before.points_for(amount)
        if points == 0:
            return 0
        self.entries.append(Entry(on, points, points))
        self.entries.sort(key=lambda entry: entry.earned)
        after = self.tier(on)
        if after != before and self.notify is not None:
            self.notify(self.owner, f"You are {after.name} now.")
        return points

    def redeem(self, points: int, on: dt.date) -> None:
        """Spend points, oldest first; nothing is spent when it fails."""
        if points <= 0 or points % STEP:
            raise InvalidRedemption(f"{points} is not a positive multiple of {STEP}")
        if points > LARGEST_REDEMPTION:
            raise InvalidRedemption(f"{points} is more than {LARGEST_REDEMPTION}")
        if points > self.balance(on):
            raise InsufficientPoints(f"{self.owner} has {self.balance(on)}, not {points}")
        for entry in self._live(on):
            spent = min(entry.left, points)
            entry.left -= spent
            points -= spent
            if points == 0:
                break

    def expiring(self, on: dt.date, within: int = 30) -> int:
        """Points that expire in the next days."""
        last = on + dt.timedelta(days=within)
        return sum(entry.left for entry in self._live(on) if entry.expires() <= last)

    def _live(self, on: dt.date) -> list[Entry]:
        return [entry for entry in self.entries if entry.earned <= on < entry.expires()]
