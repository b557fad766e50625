import pytest

from cronline.fields import BOUNDS, FieldError, parse_field

GOOD = [
    ("minute", "5", {5}),
    ("minute", "*/15", {0, 15, 30, 45}),
    ("minute", "50/5", {50, 55}),
    ("hour", "9-17/4", {9, 13, 17}),
    ("day", "1,15,31", {1, 15, 31}),
    ("month", "jan,DEC", {1, 12}),
    ("weekday", "mon-fri", {1, 2, 3, 4, 5}),
    ("weekday", "7", {0}),
    ("weekday", "0,6-6", {0, 6}),
]

BAD = [
    ("minute", "60", "not from 0 to 59"),
    ("day", "0", "not from 1 to 31"),
    ("month", "mon", "not a number"),
    ("hour", "", "not a number"),
    ("hour", "5-2", "runs backwards"),
    ("minute", "*/0", "bad step"),
    ("minute", "*/x", "bad step"),
]


@pytest.mark.parametrize("field, text, want", GOOD)
def test_good(field, text, want):
    assert parse_field(field, text) == want


@pytest.mark.parametrize("field", BOUNDS)
def test_star_is_everything(field):
    low, high = BOUNDS[field]
    assert parse_field(field, "*") == set(range(low, high + 1))


@pytest.mark.parametrize("field, text, reason", BAD)
def test_bad(field, text, reason):
    with pytest.raises(FieldError, match=reason) as caught:
        parse_field(field, text)
    assert caught.value.field == field
