"""What a parcel costs."""

from dataclasses import dataclass

from tariff.bands import ABROAD, DOMESTIC

HOME = "DE"
ISLANDS = {"18565", "25849", "27498"}


@dataclass(frozen=True)
class Parcel:
    grams: int
    country: str = HOME
    postcode: str = ""
    insured: int = 0
    size: tuple = (10, 10, 10)


def chargeable_grams(parcel):
    """The heavier of weight and volume weight (cm3 / 5 per gram)."""
    a, b, c = parcel.size
    return max(parcel.grams, -(-a * b * c // 5))


def insurance(value):
    """1 % of the value above 50.00, at least 1.00, rounded up."""
    if value < 0:
        raise ValueError("insured value is negative")
    if value <= 5000:
        return 0
    return max(100, -(-(value - 5000) // 100))


def discount(count):
    """Percent off for a consignment of `count` parcels."""
    if count >= 50:
        return 15
    if count >= 10:
        return 10
    if count >= 5:
        return 5
    return 0


def quote(parcel):
    table = DOMESTIC if parcel.country == HOME else ABROAD
    price = table.price(chargeable_grams(parcel))
    if parcel.country == HOME and parcel.postcode in ISLANDS:
        price += 250
    return price + insurance(parcel.insured)


def consignment(parcels):
    """The total after discount, half cents up."""
    total = sum(quote(p) for p in parcels)
    percent = discount(len(parcels))
    return (total * (100 - percent) + 50) // 100


class Quoter:
    """Quotes with a rate service for other currencies."""

    def __init__(self, rates):
        self.rates = rates
        self._known = {}

    def quote_in(self, parcel, currency):
        if currency not in self._known:
            self._known[currency] = self.rates.rate(currency)
        return round(quote(parcel) * self._known[currency])
