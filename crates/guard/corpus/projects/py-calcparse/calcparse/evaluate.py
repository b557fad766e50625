"""Computes the value of a tree."""
import math
import operator

from .parser import parse

CONSTANTS = {"pi": math.pi, "e": math.e}
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}


class EvaluationError(Exception):
    pass


def evaluate(text, names=None):
    scope = {**CONSTANTS, **(names or {})}
    return round(walk(parse(text), scope), 10)


def walk(tree, scope):
    if isinstance(tree, float):
        return tree
    if tree[0] == "name":
        if tree[1] not in scope:
            raise EvaluationError(f"unknown name {tree[1]}")
        return scope[tree[1]]
    if tree[0] == "neg":
        return -walk(tree[1], scope)
    left, right = walk(tree[1], scope), walk(tree[2], scope)
    try:
        return OPERATIONS[tree[0]](left, right)
    except ZeroDivisionError as error:
        raise EvaluationError("division by zero") from error
