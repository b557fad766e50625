from .backoff import Backoff, call
from .bucket import TokenBucket
from .clock import ManualClock, SystemClock
from .config import Limit, LimitError, parse_limit, parse_limits
from .registry import Registry
from .waiting import Gate
from .window import SlidingWindow

__all__ = [
    "Backoff", "Gate", "Limit", "LimitError", "ManualClock", "Registry", "SlidingWindow", "SystemClock", "TokenBucket",
    "call", "parse_limit", "parse_limits",
]
