"""A summary of records and how it is printed."""
from collections import Counter
from dataclasses import dataclass, field

from .records import LEVELS


@dataclass
class Summary:
    total: int = 0
    unparsed: int = 0
    levels: Counter = field(default_factory=Counter)
    sources: Counter = field(default_factory=Counter)
    first: object = None
    last: object = None

    @property
    def error_rate(self):
        """Share of records at ERROR or above, 0.0 without records."""
        if self.total == 0:
            return 0.0
        return (self.levels["ERROR"] + self.levels["FATAL"]) / self.total


def summarise(records, unparsed=0):
    summary = Summary(unparsed=unparsed)
    for record in records:
        summary.total += 1
        summary.levels[record.level] += 1
        summary.sources[record.source] += 1
        summary.first = record.time if summary.first is None else min(summary.first, record.time)
        summary.last = record.time if summary.last is None else max(summary.last, record.time)
    return summary


def render(summary, top=3):
    lines = [f"records   {summary.total}", f"unparsed  {summary.unparsed}", f"errors    {summary.error_rate:.1%}"]
    if summary.first is not None:
        lines.append(f"from      {summary.first:%Y-%m-%d %H:%M:%S}")
        lines.append(f"to        {summary.last:%Y-%m-%d %H:%M:%S}")
    for level in reversed(LEVELS):
        if summary.levels[level]:
            lines.append(f"  {level:<8}{summary.levels[level]:>5}")
    lines.append("sources")
    for source, count in sorted(summary.sources.items(), key=lambda item: (-item[1], item[0]))[:top]:
        lines.append(f"  {source:<8}{count:>5}")
    return "\n".join(lines) + "\n"
