from datetime import datetime, timedelta

import pytest

from cronline.runner import Runner


class FakeClock:
    def __init__(self):
        self.now = datetime(2024, 1, 1, 8, 0)

    def __call__(self):
        return self.now

    def forward(self, minutes):
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def runner(clock):
    return Runner(clock)
