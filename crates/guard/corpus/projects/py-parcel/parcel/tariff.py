"""What a parcel costs."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
MAX_KILOS = Decimal("31.5")
ZONES = {"DE": 1, "AT": 2, "FR": 2, "PL": 2, "GB": 3, "NO": 3, "US": 4, "JP": 4}
BASE = {1: Decimal("4.99"), 2: Decimal("9.49"), 3: Decimal("13.90"), 4: Decimal("28.00")}
PER_KILO = {1: Decimal("0.60"), 2: Decimal("1.10"), 3: Decimal("1.90"), 4: Decimal("4.25")}


class TariffError(ValueError):
    """A parcel that nobody carries."""


@dataclass(frozen=True)
class Parcel:
    kilos: Decimal
    length: int
    width: int
    height: int
    country: str = "DE"

    def volume_weight(self):
        """Bulky parcels count with their volume."""
        return Decimal(self.length * self.width * self.height) / 5000

    def girth(self):
        sides = sorted((self.length, self.width, self.height))
        return sides[2] + 2 * (sides[0] + sides[1])


def zone(country):
    try:
        return ZONES[country]
    except KeyError:
        raise TariffError(f"no service to {country}") from None


def price(parcel, insured=Decimal(0)):
    if parcel.kilos <= 0:
        raise TariffError("weight must be positive")
    if parcel.kilos > MAX_KILOS:
        raise TariffError(f"too heavy: {parcel.kilos} kg")
    if parcel.girth() > 300:
        raise TariffError("too large")
    area = zone(parcel.country)
    counted = max(parcel.kilos, parcel.volume_weight())
    amount = BASE[area] + PER_KILO[area] * counted + insured * Decimal("0.012")
    return amount.quantize(CENT, ROUND_HALF_UP)


def surcharge(amount, percent):
    """An amount with the fuel surcharge of the month."""
    if not 0 <= percent <= 40:
        raise TariffError(f"surcharge out of range: {percent}")
    return (amount * (100 + Decimal(percent)) / 100).quantize(CENT, ROUND_HALF_UP)
