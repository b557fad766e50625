import json

import pytest

from cachekit import JsonStore, StoreError
from cachekit.store import human_size


@pytest.fixture
def store(tmp_path):
    return JsonStore(tmp_path / "cache.json")


def test_missing_file_is_empty(store):
    assert store.load() == {}


def test_round_trip(store):
    store.save({"b": [1, 2], "a": "x"})
    assert store.load() == {"a": "x", "b": [1, 2]}


def test_file_is_sorted(store):
    store.save({"b": 1, "a": 2})
    assert store.path.read_text() == '{"entries": {"a": 2, "b": 1}, "format": 2}'


def test_damaged_file(store):
    store.path.write_text("{\n,")
    with pytest.raises(StoreError, match="damaged at line 2"):
        store.load()


def test_unknown_format(store):
    store.path.write_text(json.dumps({"format": 1, "entries": {}}))
    with pytest.raises(StoreError, match="unknown format 1"):
        store.load()


def test_bytes():
    assert human_size(512) == "512 B"


def test_kibibytes():
    assert human_size(2048) == "2 KiB"


def test_mebibytes():
    assert human_size(5 * 1024 * 1024) == "5 MiB"


def test_negative_size():
    with pytest.raises(ValueError, match="negative size"):
        human_size(-1)
