import pytest

from shorturl.validate import InvalidUrl, clean_url, slug_ok


def reason_of(url):
    with pytest.raises(InvalidUrl) as info:
        clean_url(url)
    return info.value.reason


def test_fragment_is_dropped():
    assert clean_url("https://example.org/a#b") == "https://example.org/a"


def test_spaces_are_stripped():
    assert clean_url("  https://example.org ") == "https://example.org"


def test_query_is_kept():
    assert clean_url("http://example.org/?q=1") == "http://example.org/?q=1"


def test_scheme():
    assert reason_of("ftp://example.org") == "unsupported scheme"


def test_blocked_host():
    assert reason_of("http://localhost/x") == "host not allowed"
    assert reason_of("http://127.0.0.1") == "host not allowed"


def test_too_long():
    assert reason_of("https://example.org/" + "a" * 2048) == "too long"


@pytest.mark.parametrize("slug, ok", [("abc", True), ("my-link", True), ("ab", False), ("a_b_c", False)])
def test_slug(slug, ok):
    assert slug_ok(slug) is ok
