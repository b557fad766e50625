"""Numbers as short text."""

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def encode(number: int) -> str:
    if number < 0:
        raise ValueError("negative number")
    digits = ""
    while True:
        number, digit = divmod(number, len(ALPHABET))
        digits = ALPHABET[digit] + digits
        if number == 0:
            return digits


def decode(text: str) -> int:
    if not text:
        raise ValueError("empty code")
    number = 0
    for character in text:
        index = ALPHABET.find(character)
        if index < 0:
            raise ValueError(f"bad character {character!r}")
        number = number * len(ALPHABET) + index
    return number


def _pad(text: str, width: int) -> str:
    return text.rjust(width, ALPHABET[0])


def is_code(text: str) -> bool:
    return bool(text) and all(character in ALPHABET for character in text)
