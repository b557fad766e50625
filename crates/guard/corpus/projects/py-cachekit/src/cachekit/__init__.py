from cachekit.memo import memoize
from cachekit.store import JsonStore, StoreError
from cachekit.ttl import TtlCache

__all__ = ["memoize", "JsonStore", "StoreError", "TtlCache"]
