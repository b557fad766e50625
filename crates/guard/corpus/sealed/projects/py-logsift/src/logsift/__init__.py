"""Sifts log files: parse, filter, count, report."""
from .filters import FilterError, compile_filter
from .records import ParseError, Record, parse_line, read_records
from .report import Summary, render, summarise

__all__ = ["FilterError", "ParseError", "Record", "Summary", "compile_filter", "parse_line", "read_records", "render", "summarise"]
