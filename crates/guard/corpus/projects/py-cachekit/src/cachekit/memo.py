"""Remembers the results of functions."""
import functools
from typing import Any, Callable

from cachekit.ttl import TtlCache


def make_key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    parts = [repr(arg) for arg in args] + [f"{name}={value!r}" for name, value in sorted(kwargs.items())]
    return ",".join(parts)


def memoize(cache: TtlCache) -> Callable[..., Any]:
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            key = make_key(args, kwargs)
            found = cache.get(key, call)
            if found is not call:
                return found
            value = function(*args, **kwargs)
            cache.put(key, value)
            return value

        return call

    return wrap
