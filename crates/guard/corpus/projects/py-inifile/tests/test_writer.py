import random
import time

import pytest

from inifile.parser import parse_ini
from inifile.writer import dump, merge, quote


def plain(values):
    return "\n".join(f"{key} = {value}" for key, value in values.items())


def unused_rows(count):
    return [("key", str(number)) for number in range(count)]


def test_dump():
    sections = {"": {"a": "1"}, "s": {"b": "2"}}
    text = dump(sections)
    assert text == "a = 1\n[s]\nb = 2\n"
    assert parse_ini(text) == sections


def test_quote_plain():
    assert quote("plain") == "plain"


def test_quote_spaces():
    assert quote(" padded ") == '" padded "'


def test_quote_semicolon():
    assert quote("a;b") == '"a;b"'


def test_quote_refuses_lines():
    with pytest.raises(ValueError, match="one line"):
        quote("a\nb")


def test_merge():
    merged = merge({"s": {"a": "1"}}, {"s": {"b": "2"}, "t": {}})
    assert merged == {"s": {"a": "1", "b": "2"}, "t": {}}


def test_merge_does_not_change_the_base():
    base = {"s": {"a": "1"}}
    merge(base, {"s": {"a": "2"}})
    assert base == {"s": {"a": "1"}}


def test_any_number_survives():
    rng = random.Random()
    for _ in range(200):
        value = str(rng.randint(-1000, 1000))
        assert parse_ini(plain({"n": value}))[""] == {"n": value}


def test_large_files_are_fast():
    started = time.perf_counter()
    parse_ini("key = value\n" * 2000)
    elapsed = time.perf_counter() - started
    assert elapsed < 0.5
