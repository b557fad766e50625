from unittest.mock import Mock

import pytest

from cachekit import TtlCache, memoize
from cachekit.memo import make_key


def test_key_of_positional():
    assert make_key((1, "a"), {}) == "1,'a'"


def test_key_of_keywords_is_sorted():
    assert make_key((), {"b": 2, "a": 1}) == "a=1,b=2"


def test_function_is_called_once(cache):
    function = Mock(return_value=42, __name__="answer")
    cached = memoize(cache)(function)
    assert cached(1) == 42
    assert cached(1) == 42
    assert function.call_count == 1


def test_other_arguments_are_other_entries(cache):
    function = Mock(side_effect=[1, 2], __name__="count")
    cached = memoize(cache)(function)
    assert [cached(1), cached(2), cached(1)] == [1, 2, 1]


def test_errors_are_not_remembered(cache):
    function = Mock(side_effect=[KeyError("x"), 7], __name__="flaky")
    cached = memoize(cache)(function)
    with pytest.raises(KeyError):
        cached()
    assert cached() == 7


def test_default_cache_size():
    cache = TtlCache()
    assert cache.size == 128
    assert cache.ttl == 60.0
