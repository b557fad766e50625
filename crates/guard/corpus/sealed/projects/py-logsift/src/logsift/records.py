"""Records of a log: `2024-03-01T10:00:00Z ERROR db: connection lost (attempt=3)`."""
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "FATAL")
_LINE = re.compile(r"(?P<time>\S+) (?P<level>[A-Z]+) (?P<source>[\w.-]+): (?P<text>.*?)(?: \((?P<fields>[^()]*)\))?$")
_FIELD = re.compile(r"(\w+)=(\"[^\"]*\"|[^\s,]+)")
LONGEST_LINE = 4096


class ParseError(ValueError):
    """A line that is no record."""

    def __init__(self, message, line_number=None):
        super().__init__(message if line_number is None else f"line {line_number}: {message}")
        self.line_number = line_number


@dataclass(frozen=True)
class Record:
    time: datetime
    level: str
    source: str
    text: str
    fields: dict = field(default_factory=dict)

    @property
    def severity(self):
        return LEVELS.index(self.level)


def parse_time(text):
    try:
        value = datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise ParseError(f"bad time {text!r}") from None
    return value.replace(tzinfo=timezone.utc)


def parse_line(line, line_number=None):
    """One record; ParseError says what is wrong with the line."""
    line = line.rstrip("\r\n")
    if len(line) > LONGEST_LINE:
        raise ParseError("line too long", line_number)
    match = _LINE.match(line)
    if match is None:
        raise ParseError("not a record", line_number)
    if match["level"] not in LEVELS:
        raise ParseError(f"unknown level {match['level']}", line_number)
    try:
        time = parse_time(match["time"])
    except ParseError as error:
        raise ParseError(str(error), line_number) from None
    fields = {name: value.strip('"') for name, value in _FIELD.findall(match["fields"] or "")}
    return Record(time, match["level"], match["source"], match["text"], fields)


def read_records(lines, strict=False, on_error=None):
    """The records among the lines. Other lines are handed to on_error, or raised when strict."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield parse_line(line, number)
        except ParseError as error:
            if strict:
                raise
            if on_error is not None:
                on_error(error)
