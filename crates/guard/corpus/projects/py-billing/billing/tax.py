"""Rates by country, amounts in cents."""

RATES = {"DE": 19, "FR": 20, "CH": 8, "US": 0}


class TaxError(Exception):
    pass


def rate_of(country: str) -> int:
    """The rate in percent.

    >>> rate_of("FR")
    20
    """
    try:
        return RATES[country]
    except KeyError as cause:
        raise TaxError(f"unknown country {country}") from cause


def gross(net: int, country: str) -> int:
    if net < 0:
        raise TaxError("net is negative")
    return net + round(net * rate_of(country) / 100)


def effective_rate(net: int, paid: int) -> float:
    if net == 0:
        return 0.0
    return (paid - net) / net


def old_rate(country: str) -> int:
    return 16 if country == "DE" else 0
