import datetime as dt
import subprocess
import sys

from loyalty import statement, store
from loyalty.__main__ import main

from .helpers import assert_same_text


def test_statement_is_the_golden_one(data):
    account = store.load(data / "imani.json")
    actual = statement.render(account, dt.date(2024, 6, 1))
    assert_same_text(actual, (data / "imani.txt").read_text())


def test_rows_are_forty_wide(account, today):
    rows = statement.render(account, today).splitlines()[1:]
    assert {len(row) for row in rows} == {40}


def test_command_prints_the_statement(data, capsys):
    assert main(["statement", str(data / "imani.json"), "--on", "2024-06-01"]) == 0
    assert_same_text(capsys.readouterr().out, (data / "imani.txt").read_text())


def test_command_ends_with_2_for_a_broken_file(tmp_path, capsys):
    assert main(["statement", str(tmp_path / "none.json"), "--on", "2024-06-01"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("loyalty: none.json")


def test_module_runs(data):
    command = [sys.executable, "-m", "loyalty", "statement", str(data / "imani.json"), "--on", "2024-06-01"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert result.returncode == 0
    assert "Imani" in result.stdout
