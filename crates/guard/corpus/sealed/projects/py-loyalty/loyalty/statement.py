"""The monthly statement, as text."""
from __future__ import annotations

import datetime as dt

from .account import Account

WIDTH = 40


def render(account: Account, on: dt.date) -> str:
    tier = account.tier(on)
    lines = [
        f"Statement for {account.owner}".center(WIDTH).rstrip(),
        "=" * WIDTH,
        _row("Date", on.isoformat()),
        _row("Tier", tier.name),
        _row("Balance", f"{account.balance(on):,}"),
        _row("Expiring within 30 days", f"{account.expiring(on):,}"),
        "-" * WIDTH,
    ]
    for entry in account.entries:
        mark = "" if entry.expires() > on else " (expired)"
        lines.append(_row(entry.earned.isoformat() + mark, f"{entry.left:,} of {entry.points:,}"))
    return "\n".join(lines) + "\n"


def _row(label: str, value: str) -> str:
    return label + value.rjust(WIDTH - len(label))
