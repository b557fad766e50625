"""Which price band a weight falls in."""

from bisect import bisect_left


class BandTable:
    def __init__(self, rows):
        """rows: (upper limit in grams, price in cents), the limit belongs to its band."""
        limits = [limit for limit, _ in rows]
        if limits != sorted(set(limits)):
            raise ValueError("limits must rise")
        self.limits = limits
        self.prices = [price for _, price in rows]

    def price(self, grams):
        if grams <= 0:
            raise ValueError("weight must be positive")
        index = bisect_left(self.limits, grams)
        if index == len(self.limits):
            raise LookupError(f"too heavy: {grams} g")
        return self.prices[index]


DOMESTIC = BandTable([(100, 95), (500, 160), (2000, 449), (10000, 949)])
ABROAD = BandTable([(100, 110), (500, 370), (2000, 1090)])
