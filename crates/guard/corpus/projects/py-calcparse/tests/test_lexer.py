import pytest

from calcparse.lexer import LexError, describe, tokenize

from .helpers import assert_tokens, kinds


def test_numbers_and_operators():
    assert tokenize("1 + 2") == [("number", "1"), ("op", "+"), ("number", "2")]


def test_names():
    assert tokenize("rate_2") == [("name", "rate_2")]


def test_empty_input():
    assert tokenize("") == []


def test_spaces_are_skipped():
    assert_tokens("  3*  x ", "3", "*", "x")
    assert kinds("3*x") == ["number", "op", "name"]


@pytest.mark.parametrize("text, position", [("1 $ 2", 1), ("?", 0), ("ab#", 2)])
def test_unexpected_character(text, position):
    with pytest.raises(LexError) as info:
        tokenize(text)
    assert info.value.position == position


def test_input_too_long():
    with pytest.raises(LexError, match="too long"):
        tokenize("1" * 1001)


def test_describe_number():
    assert describe(("number", "7")) == "number 7"


def test_describe_operator():
    assert describe(("op", "+")) == "op +"
