import pytest

from calcparse import ParseError, parse, tokenize
from calcparse.parser import depth_of


class TestPrecedence:
    def test_product_before_sum(self):
        assert parse("1+2*3") == ("+", 1.0, ("*", 2.0, 3.0))

    def test_power_is_right_associative(self):
        assert parse("2^3^2") == ("^", 2.0, ("^", 3.0, 2.0))

    def test_parentheses(self):
        tree = parse("(1+2)*3")
        assert tree[0] == "*"
        assert tree[1] == ("+", 1.0, 2.0)

    def test_minus_binds_tightly(self):
        assert parse("-2*3") == ("*", ("neg", 2.0), 3.0)


class TestErrors:
    @pytest.mark.parametrize("text", ["1+", "(1", ")", "1 2"])
    def test_rejected(self, text):
        with pytest.raises(ParseError):
            parse(text)

    def test_message_names_the_token(self):
        with pytest.raises(ParseError, match="trailing number 2"):
            parse("1 2")

    def test_depth_limit(self):
        with pytest.raises(ParseError, match="too deeply"):
            parse("(" * 60 + "1" + ")" * 60)


def test_depth_of_leaf():
    assert depth_of(1.0) == 1


def test_depth_of_tree():
    assert depth_of(parse("1+2*3")) == 3


def test_nothing_to_tokenize():
    assert tokenize("") == []
