import datetime

import pytest

from invoice import Fixed, Invoice, Line, Money, MoneyError, Percent, Volume


def test_net_of_line():
    assert Line("a", Money(250), 4).net() == Money(1000)
    assert Line("a", Money(250), 4, discount=Percent(10)).net() == Money(900)


def test_quantity():
    with pytest.raises(ValueError):
        Line("a", Money(1), 0)


def test_fixed_discount_is_limited():
    assert Fixed(Money(300)).off(Money(1000), 1) == Money(300)
    assert Fixed(Money(300)).off(Money(200), 1) == Money(200)


def test_percent_range():
    for percent in (-1, 101):
        with pytest.raises(ValueError):
            Percent(percent)


def test_volume():
    discount = Volume(((100, 12), (10, 5)))
    assert [discount.off(Money(1000), n).minor for n in (9, 10, 99, 100)] == [0, 50, 50, 120]


def test_totals(plain):
    assert plain.net() == Money(4997)
    assert plain.taxes() == {"standard": Money(569), "reduced": Money(140)}
    assert plain.gross() == Money(5706)


def test_reverse_charge(plain):
    plain.reverse_charge = True
    assert plain.gross() == plain.net() == Money(4997)


def test_currency(plain):
    with pytest.raises(MoneyError):
        plain.add(Line("x", Money(1, "USD")))


def test_payments(plain):
    plain.pay(Money(5000))
    assert plain.open() == Money(706)
    with pytest.raises(MoneyError, match="more than is open"):
        plain.pay(Money(707))
    with pytest.raises(MoneyError):
        plain.pay(Money(0))
    plain.pay(Money(706))
    assert not plain.open()


@pytest.mark.parametrize("date, due", [("2024-03-01", "2024-03-15"), ("2024-03-02", "2024-03-18"), ("2024-03-03", "2024-03-18")])
def test_due(date, due):
    assert Invoice("n", datetime.date.fromisoformat(date)).due().isoformat() == due


def test_overdue(plain):
    assert not plain.overdue(datetime.date(2024, 3, 15))
    assert plain.overdue(datetime.date(2024, 3, 16))
    plain.pay(plain.open())
    assert not plain.overdue(datetime.date(2024, 3, 16))


def test_render(plain, golden):
    assert plain.render() == golden("plain")
