import pytest

from tariff.bands import ABROAD, DOMESTIC, BandTable


@pytest.mark.parametrize(
    "grams, price",
    [(1, 95), (100, 95), (101, 160), (500, 160), (501, 449), (2000, 449), (10000, 949)],
)
def test_domestic(grams, price):
    assert DOMESTIC.price(grams) == price


def test_abroad():
    assert ABROAD.price(250) == 370


def test_too_heavy():
    with pytest.raises(LookupError, match="too heavy"):
        ABROAD.price(2001)


@pytest.mark.parametrize("grams", [0, -5])
def test_weight_is_positive(grams):
    with pytest.raises(ValueError):
        DOMESTIC.price(grams)


def test_limits_must_rise():
    with pytest.raises(ValueError, match="rise"):
        BandTable([(10, 1), (10, 2)])
