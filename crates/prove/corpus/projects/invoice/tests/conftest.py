import datetime
import pathlib

import pytest

from invoice import Invoice, Line, Money


@pytest.fixture
def plain():
    invoice = Invoice("2024-000016", datetime.date(2024, 3, 1))
    invoice.add(Line("Notebook", Money.of("9.99"), 3))
    invoice.add(Line("Handbook", Money.of("20"), kind="reduced"))
    return invoice


@pytest.fixture
def golden():
    folder = pathlib.Path(__file__).parent / "golden"
    return lambda name: (folder / (name + ".txt")).read_text()
