import datetime as dt
from decimal import Decimal

import pytest

from loyalty import Account, Entry, InsufficientPoints, InvalidRedemption
from loyalty.account import LARGEST_REDEMPTION

from .helpers import assert_left


def test_balance_counts_live_points(account, today):
    assert account.balance(today) == 800
    assert account.balance(today + dt.timedelta(days=15)) == 500


def test_oldest_points_are_spent_first(account, today):
    account.redeem(400, today)
    assert_left(account, 0, 400)
    assert account.balance(today) == 400


def test_expired_points_are_not_spent(account, today):
    later = today + dt.timedelta(days=20)
    account.redeem(200, later)
    assert_left(account, 300, 300)


def test_too_many_points(account, today):
    with pytest.raises(InsufficientPoints) as caught:
        account.redeem(900, today)
    assert str(caught.value) == "Noor has 800, not 900"
    assert_left(account, 300, 500)


@pytest.mark.parametrize("points", [0, -100, 50, 101, LARGEST_REDEMPTION + 100])
def test_invalid_redemption(account, today, points):
    with pytest.raises(InvalidRedemption):
        account.redeem(points, today)
    assert_left(account, 300, 500)


def test_largest_redemption(today):
    account = Account("Ada", [Entry(today, 60_000, 60_000)])
    account.redeem(LARGEST_REDEMPTION, today)
    assert account.balance(today) == 10_000


def test_purchase_adds_points(account, today):
    assert account.purchase(Decimal("19.99"), today) == 19
    assert account.balance(today) == 819
    assert account.entries[-1] == Entry(today, 19, 19)


def test_small_purchase_adds_no_entry(account, today):
    assert account.purchase(Decimal("0.50"), today) == 0
    assert len(account.entries) == 2


def test_new_tier_is_announced(today, messages):
    account = Account("Ada", notify=messages)
    account.purchase(Decimal("999"), today)
    assert messages.sent == []
    account.purchase(Decimal("1"), today)
    assert messages.sent == [("Ada", "You are silver now.")]


def test_expiring(account, today):
    assert account.expiring(today) == 300
    assert account.expiring(today, within=10) == 0
