"""logsift [--strict] [--filter F] FILE"""
import argparse
import sys

from .filters import FilterError, compile_filter
from .records import ParseError, read_records
from .report import render, summarise


def main(arguments=None, out=sys.stdout, err=sys.stderr):
    parser = argparse.ArgumentParser(prog="logsift")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--filter", default="")
    parser.add_argument("file")
    options = parser.parse_args(arguments)
    problems = []
    try:
        keep = compile_filter(options.filter)
        with open(options.file, encoding="utf-8", errors="replace") as lines:
            records = [record for record in read_records(lines, options.strict, problems.append) if keep(record)]
    except (FilterError, ParseError, OSError) as error:
        print(f"logsift: {error}", file=err)
        return 2
    out.write(render(summarise(records, len(problems))))
    return 1 if problems else 0
