"""A cache whose entries expire."""
import time
from collections import OrderedDict
from typing import Any, Callable

DEFAULT_TTL = 60.0
DEFAULT_SIZE = 128


class TtlCache:
    def __init__(self, size: int = DEFAULT_SIZE, ttl: float = DEFAULT_TTL, clock: Callable[[], float] = time.monotonic):
        if size < 1:
            raise ValueError("size must be at least 1")
        if ttl <= 0:
            raise ValueError("ttl must be positive")
        self.size = size
        self.ttl = ttl
        self.clock = clock
        self.hits = 0
        self.misses = 0
        self._entries: OrderedDict[str, tuple[float, Any]] = OrderedDict()

    def put(self, key: str, value: Any) -> None:
        self._entries.pop(key, None)
        self._entries[key] = (self.clock() + self.ttl, value)
        while len(self._entries) > self.size:
            self._entries.popitem(last=False)

    def get(self, key: str, default: Any = None) -> Any:
        entry = self._entries.get(key)
        if entry is None or entry[0] <= self.clock():
            self._entries.pop(key, None)
            self.misses += 1
            return default
        self.hits += 1
        self._entries.move_to_end(key)
        return entry[1]

    def purge(self) -> int:
        """Drops what has expired, says how many."""
        now = self.clock()
        stale = [key for key, (until, _) in self._entries.items() if until <= now]
        for key in stale:
            del self._entries[key]
        return len(stale)

    def ratio(self) -> float:
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0

    def __len__(self) -> int:
        return len(self._entries)
