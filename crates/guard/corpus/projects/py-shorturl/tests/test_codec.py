import pytest

from shorturl.codec import ALPHABET, decode, encode, is_code


def test_encode_zero():
    assert encode(0) == "2"


def test_encode_one_digit():
    assert encode(30) == "z"


def test_encode_two_digits():
    assert encode(31) == "32"


@pytest.mark.parametrize("number", [0, 1, 30, 31, 960, 961, 123456789])
def test_round_trip(number):
    assert decode(encode(number)) == number


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "empty code"),
        ("ab0", "bad character"),
        ("ABC", "bad character"),
    ],
)
def test_decode_rejects(text, message):
    with pytest.raises(ValueError, match=message):
        decode(text)


def test_negative():
    with pytest.raises(ValueError):
        encode(-1)


def test_alphabet_has_no_lookalikes():
    assert len(ALPHABET) == 31
    assert not set("01lio") & set(ALPHABET)


def test_is_code():
    assert is_code("abc") is True
    assert is_code("a b") is False
    assert is_code("") is False
