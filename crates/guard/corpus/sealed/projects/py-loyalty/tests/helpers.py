"""Checks that several tests use."""
import difflib


def assert_same_text(actual, expected):
    if actual != expected:
        diff = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="")
        raise AssertionError("\n".join(diff))


def assert_left(account, *expected):
    left = [entry.left for entry in account.entries]
    assert left == list(expected), f"left over: {left}"
