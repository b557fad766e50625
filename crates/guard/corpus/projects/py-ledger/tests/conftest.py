import pytest

from ledger import Ledger


@pytest.fixture
def ledger():
    book = Ledger()
    book.open("cash")
    book.open("sales")
    return book
