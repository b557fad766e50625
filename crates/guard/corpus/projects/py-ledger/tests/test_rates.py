import json
from pathlib import Path
from unittest import mock

import pytest
import requests

from ledger import rates

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def service():
    with mock.patch("ledger.rates.requests.get") as get:
        yield get


def test_same_currency_needs_no_call(service):
    assert rates.fetch_rate("USD", "USD") == 1.0
    service.assert_not_called()


def test_rate_is_read(service):
    service.return_value.json.return_value = json.loads((FIXTURES / "usd_eur.json").read_text())
    assert rates.fetch_rate("USD", "EUR") == pytest.approx(0.92, abs=1e-6)


def test_convert_rounds_to_cents(service):
    service.return_value.json.return_value = {"rate": 0.9251}
    assert rates.convert(1000, "USD", "EUR") == 925


def test_failure_is_wrapped(service):
    service.side_effect = requests.ConnectionError("down")
    with pytest.raises(rates.RateError, match="no rate for USD/EUR"):
        rates.fetch_rate("USD", "EUR")


@pytest.mark.slow
def test_timeout_is_passed(service):
    service.return_value.json.return_value = {"rate": 1.5}
    rates.fetch_rate("USD", "CHF")
    assert service.call_args.kwargs["timeout"] == 5
