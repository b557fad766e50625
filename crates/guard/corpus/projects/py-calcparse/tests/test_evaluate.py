import math
import sys

import pytest

from calcparse import evaluate
from calcparse.evaluate import EvaluationError


def test_sum():
    assert evaluate("1 + 2") == 3


def test_mixed():
    assert evaluate("2 * (3 + 4)") == 14


def test_power():
    assert evaluate("2 ^ 10") == 1024


CASES = [
    ("1 - 2 - 3", -4),
    ("8 / 4 / 2", 1),
    ("-3 + 5", 2),
    ("2 * 3 ^ 2", 18),
]


def test_table():
    for text, expected in CASES:
        assert evaluate(text) == expected, text


def test_constants():
    assert evaluate("pi") == pytest.approx(math.pi, abs=1e-9)
    assert evaluate("2 * e") == pytest.approx(5.4365636, rel=1e-6)


def test_names():
    assert evaluate("x * y", {"x": 3, "y": 4}) == 12


def test_unknown_name():
    with pytest.raises(EvaluationError, match="unknown name z"):
        evaluate("z")


def test_division_by_zero():
    with pytest.raises(EvaluationError) as info:
        evaluate("1 / 0")
    assert str(info.value) == "division by zero"


@pytest.mark.skipif(sys.platform == "win32", reason="recursion limit differs")
def test_long_sum():
    assert evaluate("+".join(["1"] * 40)) == 40
