"""Reads and writes INI files."""
from inifile.parser import IniError, parse_ini
from inifile.values import as_bool, as_bytes, as_duration
from inifile.writer import dump, quote

__all__ = ["IniError", "as_bool", "as_bytes", "as_duration", "dump", "parse_ini", "quote"]
