from pathlib import Path

import pytest

from shorturl.report import render, shorten

GOLDEN = Path(__file__).parent / "golden"


def test_report(full_app):
    assert render(full_app.urls) == (GOLDEN / "report.txt").read_text()


def test_empty_report():
    assert render([], "None") == "# None\n\n0 total\n"


def test_short_url_is_kept():
    assert shorten("http://a.example") == "http://a.example"


def test_long_url_is_cut():
    assert shorten("http://a.example/long/path") == "http://a.example/..."


def test_width_too_small():
    with pytest.raises(ValueError, match="width"):
        shorten("http://a.example", 3)
