from decimal import Decimal

import pytest

from invoice import Money, UnknownRate, rate_for, tax_of


def test_rates():
    assert rate_for("DE") == Decimal("0.19")
    assert rate_for("fr", "reduced") == Decimal("0.055")
    assert rate_for("AT", "exempt") == 0
    assert rate_for("FR", reverse_charge=True) == 0


def test_unknown():
    with pytest.raises(UnknownRate, match="XX/standard"):
        rate_for("XX")


def test_tax_is_rounded():
    assert tax_of(Money(1050), "FR", "reduced") == Money(58)
    assert tax_of(Money(999), "DE") == Money(190)
