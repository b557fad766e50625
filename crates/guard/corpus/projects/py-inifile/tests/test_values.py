import pytest

from inifile.values import as_bool, as_bytes, as_duration, as_list, clamp_percent


@pytest.mark.parametrize("text", ["1", "yes", "TRUE", " on "])
def test_true(text):
    assert as_bool(text) is True


@pytest.mark.parametrize("text", ["0", "no", "False", "off"])
def test_false(text):
    assert as_bool(text) is False


def test_not_a_truth_value():
    with pytest.raises(ValueError, match="not a truth value"):
        as_bool("maybe")


def test_durations():
    assert as_duration("90s") == 90.0
    assert as_duration("2m") == 120.0
    assert as_duration("1.5h") == pytest.approx(5400, rel=1e-6)
    assert as_duration("20ms") == pytest.approx(0.02, abs=1e-9)


def test_invalid_duration():
    with pytest.raises(ValueError, match="invalid duration"):
        as_duration("soon")


def test_sizes():
    assert as_bytes("512") == 512
    assert as_bytes("4k") == 4096
    assert as_bytes("1M") == 1048576


def test_invalid_size():
    with pytest.raises(ValueError):
        as_bytes("4x")


def test_list():
    assert as_list("a, b ,c") == ["a", "b", "c"]
    assert as_list("") == []


def test_percent():
    assert clamp_percent(140) == 100
    with pytest.raises(ValueError, match="negative"):
        clamp_percent(-1)


def test_small_size():
    assert as_bytes("512") == 512
    assert as_bytes("4k") == 4096
    assert as_bytes("1M") == 1048576
