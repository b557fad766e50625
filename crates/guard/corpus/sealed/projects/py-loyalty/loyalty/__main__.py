"""The command line."""
from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path

from . import statement, store


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="loyalty")
    parser.add_argument("command", choices=["statement"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--on", type=dt.date.fromisoformat, required=True)
    options = parser.parse_args(arguments)
    try:
        account = store.load(options.file)
    except store.BrokenFile as error:
        print(f"loyalty: {error}", file=sys.stderr)
        return 2
    print(statement.render(account, options.on), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
