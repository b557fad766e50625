"""A cache kept as one JSON file."""
import json
from pathlib import Path
from typing import Any

FORMAT = 2


class StoreError(Exception):
    pass


class JsonStore:
    def __init__(self, path: Path):
        self.path = path

    def load(self) -> dict[str, Any]:
        try:
            document = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        except json.JSONDecodeError as error:
            raise StoreError(f"{self.path.name} is damaged at line {error.lineno}") from error
        if document.get("format") != FORMAT:
            raise StoreError(f"unknown format {document.get('format')}")
        return document["entries"]

    def save(self, entries: dict[str, Any]) -> None:
        self.path.write_text(json.dumps({"format": FORMAT, "entries": entries}, sort_keys=True))


def _legacy_path(name: str) -> Path:
    return Path("/var/cache") / name


def human_size(count: int) -> str:
    if count < 0:
        raise ValueError("negative size")
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} GiB"
