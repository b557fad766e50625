"""Value added tax."""
from decimal import Decimal

RATES = {
    ("DE", "standard"): Decimal("0.19"),
    ("DE", "reduced"): Decimal("0.07"),
    ("FR", "standard"): Decimal("0.20"),
    ("FR", "reduced"): Decimal("0.055"),
    ("AT", "standard"): Decimal("0.20"),
    ("AT", "reduced"): Decimal("0.10"),
}


class UnknownRate(KeyError):
    pass


def rate_for(country, kind="standard", reverse_charge=False):
    """The rate; nothing is due where the customer owes the tax."""
    if reverse_charge or kind == "exempt":
        return Decimal(0)
    try:
        return RATES[country.upper(), kind]
    except KeyError:
        raise UnknownRate("%s/%s" % (country, kind)) from None


def tax_of(net, country, kind="standard", reverse_charge=False):
    return net.times(rate_for(country, kind, reverse_charge))
