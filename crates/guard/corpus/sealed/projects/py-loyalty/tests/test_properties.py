import datetime as dt
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from loyalty import Account
from loyalty.tiers import TIERS

DAY = dt.date(2024, 1, 1)
amounts = st.decimals(min_value=0, max_value=5000, places=2)


@given(st.lists(amounts, max_size=20))
@settings(max_examples=200)
def test_balance_is_the_sum_of_purchases(purchases):
    account = Account("Ada")
    earned = [account.purchase(amount, DAY) for amount in purchases]
    assert account.balance(DAY) == sum(earned)


@given(st.sampled_from(TIERS), amounts, amounts)
def test_points_grow_with_the_amount(tier, one, other):
    low, high = sorted((one, other))
    assert tier.points_for(low) <= tier.points_for(high)


@given(st.lists(amounts, min_size=1, max_size=20), st.integers(min_value=1, max_value=50))
def test_redeeming_takes_exactly_the_points(purchases, hundreds):
    account = Account("Ada")
    for amount in purchases:
        account.purchase(amount + Decimal(300), DAY)
    before = account.balance(DAY)
    points = min(hundreds * 100, before // 100 * 100)
    account.redeem(points, DAY)
    assert account.balance(DAY) == before - points
    assert all(entry.left >= 0 for entry in account.entries)
