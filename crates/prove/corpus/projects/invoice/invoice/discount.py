"""What is taken off an amount."""
from dataclasses import dataclass

from .money import Money


@dataclass(frozen=True)
class Percent:
    percent: float

    def __post_init__(self):
        if not 0 <= self.percent <= 100:
            raise ValueError("a discount is between 0 and 100 percent")

    def off(self, net, quantity):
        return net.times(self.percent).times("0.01")


@dataclass(frozen=True)
class Fixed:
    amount: Money

    def off(self, net, quantity):
        """Never more than there is."""
        return net if net < self.amount else self.amount


@dataclass(frozen=True)
class Volume:
    """So many percent from so many pieces on: ((10, 5), (100, 12))."""
    steps: tuple

    def off(self, net, quantity):
        percent = 0
        for least, value in sorted(self.steps):
            if quantity >= least:
                percent = value
        return net.times(percent).times("0.01")
