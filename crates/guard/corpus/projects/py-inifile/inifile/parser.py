"""From text to sections."""
import re

NAME = re.compile(r"[A-Za-z][\w.-]*$")
MAX_DEPTH = 8


class IniError(ValueError):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def strip_comment(line: str) -> str:
    """The line without a comment.

    >>> strip_comment("a = 1 ; one")
    'a = 1'
    """
    for mark in (" ;", " #"):
        line = line.split(mark)[0]
    return "" if line.startswith((";", "#")) else line.strip()


def parse_ini(text: str) -> dict[str, dict[str, str]]:
    sections: dict[str, dict[str, str]] = {"": {}}
    current = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = strip_comment(raw)
        if not line:
            continue
        if line.startswith("["):
            if not line.endswith("]"):
                raise IniError(number, "section is not closed")
            current = line[1:-1].strip()
            sections.setdefault(current, {})
            continue
        key, mark, value = line.partition("=")
        if not mark:
            raise IniError(number, "no equals sign")
        if not NAME.match(key.strip()):
            raise IniError(number, f"invalid key {key.strip()!r}")
        sections[current][key.strip()] = value.strip()
    return sections


def interpolate(values: dict[str, str], key: str, depth: int = 0) -> str:
    """The value of a key with ${other} replaced."""
    if key not in values:
        raise KeyError(f"unknown key {key}")
    if depth > MAX_DEPTH:
        raise RecursionError("too deeply nested")

    def replace(found: re.Match[str]) -> str:
        return interpolate(values, found.group(1), depth + 1)

    return re.sub(r"\$\{(\w+)\}", replace, values[key])


def _legacy_parse(text: str) -> dict[str, str]:
    return dict(line.split(":", 1) for line in text.splitlines())
