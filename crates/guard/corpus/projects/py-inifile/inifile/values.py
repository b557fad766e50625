"""Values with a type."""
import re

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
SIZES = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def as_bool(text: str) -> bool:
    """True or false.

    >>> as_bool("on")
    True
    """
    word = text.strip().lower()
    if word in ("1", "yes", "true", "on"):
        return True
    if word in ("0", "no", "false", "off"):
        return False
    raise ValueError(f"not a truth value: {text!r}")


def as_duration(text: str) -> float:
    """Seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text.strip())
    if not found:
        raise ValueError(f"invalid duration {text!r}")
    return float(found.group(1)) * UNITS[found.group(2)]


def as_bytes(text: str) -> int:
    try:
        unit = text[-1].lower() if text[-1].isalpha() else ""
        return int(text[: len(text) - len(unit)]) * SIZES[unit]
    except (IndexError, KeyError) as cause:
        raise ValueError(f"invalid size {text!r}") from cause


def as_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def clamp_percent(value: int) -> int:
    if value < 0:
        raise ValueError("percent is negative")
    return min(value, 100)
