"""The five fields of a line: minute, hour, day, month, weekday."""

NAMES = ("minute", "hour", "day", "month", "weekday")
BOUNDS = {"minute": (0, 59), "hour": (0, 23), "day": (1, 31), "month": (1, 12), "weekday": (0, 6)}
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


class FieldError(ValueError):
    def __init__(self, field, text, reason):
        super().__init__(f"{field} {text!r}: {reason}")
        self.field = field


def _number(field, text):
    word = text.lower()
    if field == "month" and word in MONTHS:
        return MONTHS.index(word) + 1
    if field == "weekday" and word in DAYS:
        return DAYS.index(word)
    if not word.isdigit():
        raise FieldError(field, text, "not a number")
    value = int(word)
    if field == "weekday" and value == 7:
        return 0
    low, high = BOUNDS[field]
    if not low <= value <= high:
        raise FieldError(field, text, f"not from {low} to {high}")
    return value


def parse_field(field, text):
    """'*/15', '1,5-7', 'mon-fri' -> set of numbers."""
    low, high = BOUNDS[field]
    found = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and (not step.isdigit() or int(step) == 0):
            raise FieldError(field, part, "bad step")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            begin, _, end = span.partition("-")
            first, last = _number(field, begin), _number(field, end)
            if last < first:
                raise FieldError(field, part, "runs backwards")
        else:
            first = _number(field, span)
            last = high if slash else first
        found.update(range(first, last + 1, int(step) if slash else 1))
    return found
