"""Filters such as `level>=ERROR source=db attempt>2`."""
import operator
import re

from .records import LEVELS

_TERM = re.compile(r"(\w+)(>=|<=|!=|=|>|<|~)(.+)")
_OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


class FilterError(ValueError):
    """A filter that makes no sense."""


def compile_filter(text):
    """A function that says whether a record passes every term of the filter."""
    terms = [_compile_term(term) for term in text.split()]
    return lambda record: all(term(record) for term in terms)


def _compile_term(term):
    match = _TERM.fullmatch(term)
    if match is None:
        raise FilterError(f"cannot read {term!r}")
    name, sign, wanted = match.groups()
    if sign == "~":
        try:
            pattern = re.compile(wanted)
        except re.error as error:
            raise FilterError(f"bad pattern in {term!r}: {error}") from None
        return lambda record: pattern.search(str(_value(record, name) or "")) is not None
    compare = _OPERATORS[sign]
    if name == "level":
        if wanted not in LEVELS:
            raise FilterError(f"unknown level {wanted}")
        return lambda record: compare(record.severity, LEVELS.index(wanted))
    if sign in ("=", "!="):
        return lambda record: compare(str(_value(record, name)), wanted)
    try:
        limit = float(wanted)
    except ValueError:
        raise FilterError(f"{term!r} compares with something that is no number") from None
    return lambda record: _number(record, name) is not None and compare(_number(record, name), limit)


def _value(record, name):
    if name in ("source", "text", "level"):
        return getattr(record, name)
    return record.fields.get(name)


def _number(record, name):
    try:
        return float(_value(record, name))
    except (TypeError, ValueError):
        return None
