"""Turns text into tokens."""
import re

TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[a-z_]\w*)|(?P<op>[-+*/^(),]))")
MAX_LENGTH = 1000


class LexError(Exception):
    def __init__(self, message, position):
        super().__init__(f"{message} at {position}")
        self.position = position


def tokenize(text):
    """Yields pairs of kind and text."""
    if len(text) > MAX_LENGTH:
        raise LexError("input too long", MAX_LENGTH)
    tokens = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise LexError(f"unexpected {text[position]!r}", position)
        kind = match.lastgroup
        tokens.append((kind, match.group(kind)))
        position = match.end()
    return tokens


def describe(token):
    kind, text = token
    return f"{kind} {text}"
