from decimal import Decimal

import pytest

from loyalty.tiers import BRONZE, GOLD, SILVER, tier_for


@pytest.mark.parametrize(
    ("points", "tier"),
    [
        (0, BRONZE),
        (999, BRONZE),
        (1000, SILVER),
        (4999, SILVER),
        (5000, GOLD),
        (1_000_000, GOLD),
    ],
)
def test_threshold(points, tier):
    assert tier_for(points) is tier


def test_negative_points_are_refused():
    with pytest.raises(ValueError, match="points cannot be negative: -1"):
        tier_for(-1)


@pytest.mark.parametrize(
    ("tier", "amount", "points"),
    [
        (BRONZE, "10.00", 10),
        (BRONZE, "10.99", 10),
        (SILVER, "10.00", 12),
        (SILVER, "19.99", 23),
        (GOLD, "10.00", 15),
        (GOLD, "0.99", 0),
    ],
)
def test_points_for_a_purchase(tier, amount, points):
    assert tier.points_for(Decimal(amount)) == points


def test_negative_purchase_is_refused():
    with pytest.raises(ValueError, match="cannot be negative"):
        SILVER.points_for(Decimal("-0.01"))
