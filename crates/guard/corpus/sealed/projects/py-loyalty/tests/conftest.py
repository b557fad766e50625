import datetime as dt
from pathlib import Path

import pytest

from loyalty import Account, Entry

DATA = Path(__file__).parent / "data"


@pytest.fixture
def today():
    return dt.date(2024, 6, 1)


@pytest.fixture
def account(today):
    """300 points that are nearly a year old, 500 of last month."""
    return Account("Noor", [
        Entry(today - dt.timedelta(days=350), 300, 300),
        Entry(today - dt.timedelta(days=30), 500, 500),
    ])


@pytest.fixture
def messages():
    sent = []

    def notify(owner, text):
        sent.append((owner, text))

    notify.sent = sent
    return notify


@pytest.fixture
def data():
    return DATA
