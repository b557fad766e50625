"""Accounts in JSON files."""
from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from .account import Account, Entry


class BrokenFile(Exception):
    """A file that holds no account."""


def load(path: Path) -> Account:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise BrokenFile(f"{path.name}: {error}") from error
    if not isinstance(data, dict) or "owner" not in data:
        raise BrokenFile(f"{path.name}: no owner")
    account = Account(data["owner"])
    for number, row in enumerate(data.get("entries", []), 1):
        try:
            entry = Entry(dt.date.fromisoformat(row["earned"]), int(row["points"]), int(row.get("left", row["points"])))
        except (KeyError, ValueError) as error:
            raise BrokenFile(f"{path.name}: entry {number}: {error}") from error
        if not 0 <= entry.left <= entry.points:
            raise BrokenFile(f"{path.name}: entry {number}: {entry.left} of {entry.points} left")
        account.entries.append(entry)
    account.entries.sort(key=lambda entry: entry.earned)
    return account


def save(account: Account, path: Path) -> None:
    rows = [{"earned": e.earned.isoformat(), "points": e.points, "left": e.left} for e in account.entries]
    path.write_text(json.dumps({"owner": account.owner, "entries": rows}, indent=2) + "\n", encoding="utf-8")
