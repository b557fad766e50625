from .evaluate import evaluate
from .lexer import LexError, tokenize
from .parser import ParseError, parse

__all__ = ["evaluate", "tokenize", "parse", "LexError", "ParseError"]
