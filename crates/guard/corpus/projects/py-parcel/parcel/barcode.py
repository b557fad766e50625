"""Tracking numbers of the postal union: two letters, eight digits, a check digit, a country."""

import re

WEIGHTS = (8, 6, 4, 2, 3, 5, 9, 7)
PATTERN = re.compile(r"([A-Z]{2})(\d{8})(\d)([A-Z]{2})")


class BarcodeError(ValueError):
    """Not a tracking number."""


def check_digit(digits):
    """The digit that makes a serial number safe against typing errors."""
    if len(digits) != 8 or not digits.isdigit():
        raise BarcodeError(f"a serial number has eight digits: {digits!r}")
    rest = 11 - sum(int(digit) * weight for digit, weight in zip(digits, WEIGHTS)) % 11
    return {10: 0, 11: 5}.get(rest, rest)


def parse(text):
    """Service, serial number and country of a tracking number."""
    found = PATTERN.fullmatch(text.replace(" ", "").upper())
    if not found:
        raise BarcodeError(f"not a tracking number: {text!r}")
    service, serial, digit, country = found.groups()
    if check_digit(serial) != int(digit):
        raise BarcodeError(f"wrong check digit in {text!r}")
    return service, serial, country


def build(service, serial, country):
    digits = f"{serial:08d}"
    return f"{service}{digits}{check_digit(digits)}{country}"


def pretty(text):
    """Groups for reading aloud: `RR 4731 2482 9 DE`."""
    service, serial, country = parse(text)
    return f"{service} {serial[:4]} {serial[4:]} {check_digit(serial)} {country}"
