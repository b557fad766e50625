"""python -m geotile TRACK prints what a track holds."""

import sys
from pathlib import Path

from .track import TrackError, load_options, drop_jumps, read_track, summarize


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: geotile TRACK", file=sys.stderr)
        return 2
    options = load_options(Path("geotile.json"))
    try:
        fixes = read_track(Path(arguments[0]))
        if options["drop_jumps"]:
            fixes = drop_jumps(fixes, options["max_speed"])
        print(summarize(fixes), end="")
    except TrackError as error:
        print(f"geotile: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
