"""Labels as plain text, 32 columns wide."""

import configparser
from pathlib import Path

from .barcode import pretty

WIDTH = 32


def load_settings(path=Path("parcel.ini")):
    settings = configparser.ConfigParser()
    settings.read_string("[label]\nframe = yes\nbarcode = yes\n")
    settings.read(path)
    return settings["label"]


def address_lines(name, street, town, country):
    if not name.strip():
        raise ValueError("a label needs a name")
    lines = [name.strip(), street.strip(), town.strip(), country.upper()]
    return [line[:WIDTH] for line in lines if line]


def render(lines, number, settings):
    """The label, framed when the settings say so."""
    body = list(lines)
    if settings.getboolean("barcode"):
        body += ["", pretty(number)]
    if not settings.getboolean("frame"):
        return "\n".join(body) + "\n"
    edge = "+" + "-" * (WIDTH + 2) + "+"
    return "\n".join([edge, *(f"| {line:<{WIDTH}} |" for line in body), edge]) + "\n"
