import pytest

from tariff.quote import Parcel, Quoter, chargeable_grams, consignment, discount, insurance, quote


def test_letter(letter):
    assert quote(letter) == 95


def test_box(box):
    assert quote(box) == 449


def test_volume_counts():
    assert chargeable_grams(Parcel(grams=300, size=(30, 20, 15))) == 1800
    assert chargeable_grams(Parcel(grams=300, size=(3, 3, 3))) == 300
    assert chargeable_grams(Parcel(grams=1, size=(3, 3, 3))) == 6


def test_island():
    assert quote(Parcel(grams=400, postcode="27498")) == 160 + 250


def test_island_postcode_abroad():
    assert quote(Parcel(grams=400, country="FR", postcode="27498")) == 370


@pytest.mark.parametrize("value, fee", [(0, 0), (5000, 0), (5001, 100), (15000, 100), (15001, 101), (105000, 1000)])
def test_insurance(value, fee):
    assert insurance(value) == fee


def test_insurance_negative():
    with pytest.raises(ValueError):
        insurance(-1)


@pytest.mark.parametrize("count, percent", [(1, 0), (4, 0), (5, 5), (9, 5), (10, 10), (49, 10), (50, 15)])
def test_discount(count, percent):
    assert discount(count) == percent


def test_consignment_rounds_half_up(letter):
    assert consignment([letter] * 5) == 451
    assert consignment([letter] * 10) == 855


class Rates:
    def __init__(self, table):
        self.table, self.asked = table, []

    def rate(self, currency):
        self.asked.append(currency)
        return self.table[currency]


def test_other_currency_asks_once(box):
    rates = Rates({"USD": 1.1})
    quoter = Quoter(rates)
    assert quoter.quote_in(box, "USD") == 494
    assert quoter.quote_in(box, "USD") == 494
    assert rates.asked == ["USD"]
