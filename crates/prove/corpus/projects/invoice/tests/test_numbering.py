import pytest

from invoice import Numbers, check_digit, valid_number


def test_check_digit():
    assert check_digit("7992739871") == "3"
    assert check_digit("0") == "0"


def test_next():
    numbers = Numbers()
    assert numbers.next(2024) == "2024-000016"
    assert numbers.next(2024) == "2024-000024"
    assert numbers.next(2025) == "2025-000015"


def test_all_valid():
    numbers = Numbers()
    assert all(valid_number(numbers.next(2030)) for _ in range(500))


@pytest.mark.parametrize("number", ["2024-000019", "2024000016", "24-000016", "2024-00016", "2024-0000a8"])
def test_invalid(number):
    assert not valid_number(number)


def test_overflow():
    numbers = Numbers()
    numbers._last[2024] = 99999
    with pytest.raises(OverflowError):
        numbers.next(2024)
