"""Invoice numbers with a check digit."""


def check_digit(digits):
    """Luhn."""
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char)
        if index % 2 == 0:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return str(-total % 10)


def valid_number(number):
    year, dash, rest = number.partition("-")
    if not dash or len(year) != 4 or not year.isdigit() or len(rest) != 6 or not rest.isdigit():
        return False
    return check_digit(year + rest[:-1]) == rest[-1]


class Numbers:
    """Hands out numbers, counted from one in every year."""

    def __init__(self):
        self._last = {}

    def next(self, year):
        count = self._last.get(year, 0) + 1
        if count > 99999:
            raise OverflowError("no numbers left in %d" % year)
        self._last[year] = count
        body = "%05d" % count
        return "%d-%s%s" % (year, body, check_digit(str(year) + body))
