"""A Pratt parser; the tree is nested tuples."""
from .lexer import describe, tokenize

POWER = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
MAX_DEPTH = 50


class ParseError(Exception):
    pass


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.index = 0

    def peek(self):
        return self.tokens[self.index] if self.index < len(self.tokens) else ("end", "")

    def take(self):
        token = self.peek()
        self.index += 1
        return token

    def expect(self, text):
        token = self.take()
        if token[1] != text:
            raise ParseError(f"expected {text!r}, found {describe(token)}")

    def expression(self, power=0, depth=0):
        if depth > MAX_DEPTH:
            raise ParseError("nested too deeply")
        left = self.atom(depth)
        while True:
            operator = self.peek()[1]
            binding = POWER.get(operator, 0)
            if binding <= power:
                return left
            self.take()
            right = self.expression(binding - (operator == "^"), depth + 1)
            left = (operator, left, right)

    def atom(self, depth):
        kind, text = self.take()
        if kind == "number":
            return float(text)
        if kind == "name":
            return ("name", text)
        if text == "-":
            return ("neg", self.atom(depth + 1))
        if text == "(":
            inner = self.expression(0, depth + 1)
            self.expect(")")
            return inner
        raise ParseError(f"unexpected {describe((kind, text))}")


def parse(text):
    parser = Parser(tokenize(text))
    tree = parser.expression()
    if parser.peek()[0] != "end":
        raise ParseError(f"trailing {describe(parser.peek())}")
    return tree


def _dump(tree):
    return repr(tree).replace("'", "")


def depth_of(tree):
    if not isinstance(tree, tuple) or tree[0] == "name":
        return 1
    return 1 + max(depth_of(child) for child in tree[1:])
