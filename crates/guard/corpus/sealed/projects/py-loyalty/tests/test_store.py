import json

import pytest

from loyalty import store


def write(folder, value):
    path = folder / "account.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_round_trip(account, tmp_path):
    path = tmp_path / "noor.json"
    store.save(account, path)
    assert store.load(path) == account


def test_entries_are_sorted(tmp_path):
    rows = [{"earned": "2024-02-01", "points": 5}, {"earned": "2024-01-01", "points": 7}]
    account = store.load(write(tmp_path, {"owner": "Ada", "entries": rows}))
    assert [entry.points for entry in account.entries] == [7, 5]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "account.json: Expecting"),
        ("[]", "account.json: no owner"),
        ({"entries": []}, "account.json: no owner"),
        ({"owner": "A", "entries": [{"points": 1}]}, "entry 1: 'earned'"),
        ({"owner": "A", "entries": [{"earned": "2024-13-01", "points": 1}]}, "entry 1: month must be"),
        ({"owner": "A", "entries": [{"earned": "2024-01-01", "points": 1, "left": 2}]}, "2 of 1 left"),
    ],
)
def test_broken_file(tmp_path, value, message):
    with pytest.raises(store.BrokenFile) as caught:
        store.load(write(tmp_path, value))
    assert message in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(store.BrokenFile, match="nobody.json"):
        store.load(tmp_path / "nobody.json")
