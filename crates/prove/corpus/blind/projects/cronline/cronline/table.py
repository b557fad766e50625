"""Whole tables: one job a line, `name: minute hour day month weekday`."""

from cronline.line import Line


class TableError(ValueError):
    """What is wrong, with the number of every bad line."""

    def __init__(self, problems):
        super().__init__("; ".join(f"line {number}: {reason}" for number, reason in problems))
        self.problems = problems


def read_table(text):
    """Names with their lines, in order. '#' starts a comment, empty lines do not count."""
    found, problems = {}, []
    for number, raw in enumerate(text.splitlines(), 1):
        content = raw.partition("#")[0].strip()
        if not content:
            continue
        name, colon, rest = content.partition(":")
        name = name.strip()
        if not colon or not name:
            problems.append((number, "no name"))
        elif name in found:
            problems.append((number, f"{name} is there twice"))
        else:
            try:
                found[name] = Line(rest)
            except ValueError as error:
                problems.append((number, str(error)))
    if problems:
        raise TableError(problems)
    return found


def agenda(table, moment, hours=24):
    """A text of all times in the next hours: when, and which jobs, names in the table's order."""
    times = {}
    for name, line in table.items():
        time = line.next_after(moment)
        while time is not None and (time - moment).total_seconds() <= hours * 3600:
            times.setdefault(time, []).append(name)
            time = line.next_after(time)
    return "".join(f"{time:%a %d %b %H:%M}  {', '.join(names)}\n" for time, names in sorted(times.items()))
