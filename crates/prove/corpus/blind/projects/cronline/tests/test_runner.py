from datetime import datetime
from unittest import mock

import pytest

from cronline.line import Line


def test_nothing_is_due_at_first(runner):
    job = mock.Mock()
    runner.add("a", Line("* * * * *"), job)
    assert runner.tick() == []
    job.assert_not_called()


def test_runs_what_is_due(runner, clock):
    job = mock.Mock()
    runner.add("a", Line("*/5 * * * *"), job)
    clock.forward(5)
    assert runner.tick() == ["a"]
    assert runner.tick() == []
    job.assert_called_once_with()
    assert runner.log == ["a ok"]


def test_missed_times_run_once(runner, clock):
    job = mock.Mock()
    runner.add("a", Line("* * * * *"), job)
    clock.forward(30)
    runner.tick()
    assert job.call_count == 1
    assert runner.planned() == [("a", datetime(2024, 1, 1, 8, 31))]


def test_order(runner, clock):
    for name, text in [("late", "9 * * * *"), ("early", "3 * * * *"), ("same", "9 * * * *")]:
        runner.add(name, Line(text), mock.Mock())
    clock.forward(10)
    assert runner.tick() == ["early", "late", "same"]


def test_tries_again(runner, clock):
    job = mock.Mock(side_effect=[OSError("disk"), None])
    runner.add("a", Line("* * * * *"), job)
    clock.forward(1)
    runner.tick()
    assert runner.log == ["a failed (1): disk", "a ok"]


def test_gives_up(runner, clock):
    job = mock.Mock(side_effect=OSError("disk"))
    runner.add("a", Line("* * * * *"), job)
    clock.forward(1)
    runner.tick()
    assert job.call_count == 3
    assert runner.log[-1] == "a given up"


def test_never(runner):
    with pytest.raises(ValueError, match="a never runs"):
        runner.add("a", Line("0 0 30 2 *"), mock.Mock())
