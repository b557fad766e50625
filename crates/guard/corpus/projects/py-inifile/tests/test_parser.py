import pytest

from inifile.parser import IniError, interpolate, parse_ini, strip_comment


def test_sections(sample):
    sections = parse_ini(sample)
    assert sections[""] == {"debug": "on"}
    assert sections["server"] == {"port": "8080", "host": "example.org"}
    assert list(sections) == ["", "server"]


def test_empty_text():
    assert parse_ini("") == {"": {}}


@pytest.mark.parametrize(
    "line, expected",
    [
        ("a = 1", "a = 1"),
        ("a = 1 ; note", "a = 1"),
        ("; only a note", ""),
        ("b = 2 # note", "b = 2"),
    ],
)
def test_comments(line, expected):
    assert strip_comment(line) == expected


def test_comment_without_value():
    assert strip_comment("# x") == ""
    assert strip_comment("x = y # z") == "x = y"


def test_section_not_closed():
    with pytest.raises(IniError) as caught:
        parse_ini("a = 1\n[server")
    assert caught.value.line == 2
    assert "not closed" in str(caught.value)


@pytest.mark.parametrize("text", ["novalue", "[a]\nb", "just words"])
def test_no_equals_sign(text):
    with pytest.raises(IniError, match="no equals sign"):
        parse_ini(text)


def test_invalid_key():
    with pytest.raises(IniError, match="invalid key '9a'"):
        parse_ini("9a = 1")


def test_interpolation():
    values = {"root": "/srv", "data": "${root}/data"}
    assert interpolate(values, "data") == "/srv/data"
    assert interpolate(values, "root") == "/srv"


def test_unknown_key():
    with pytest.raises(KeyError):
        interpolate({}, "x")


def test_cycle_in_values():
    with pytest.raises(RecursionError):
        interpolate({"a": "${b}", "b": "${a}"}, "a")


@pytest.mark.skip(reason="needs a locale")
def test_turkish_letters():
    assert parse_ini("I = 1")[""] == {"I": "1"}
