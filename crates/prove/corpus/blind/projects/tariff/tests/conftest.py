import pytest

from tariff.quote import Parcel


@pytest.fixture
def letter():
    return Parcel(grams=80, size=(1, 1, 1))


@pytest.fixture
def box():
    return Parcel(grams=1500, size=(20, 20, 10))
