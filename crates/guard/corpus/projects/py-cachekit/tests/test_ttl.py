import pytest

from cachekit import TtlCache


def test_get_returns_what_was_put(cache):
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.hits == 1


def test_missing_key_gives_default(cache):
    assert cache.get("nope", "fallback") == "fallback"
    assert cache.misses == 1


def test_entry_expires(cache, clock):
    cache.put("a", 1)
    clock.advance(10)
    assert cache.get("a") is None
    assert len(cache) == 0


def test_entry_lives_until_ttl(cache, clock):
    cache.put("a", 1)
    clock.advance(9.5)
    assert cache.get("a") == 1


def test_oldest_is_evicted(cache):
    for key in "abcd":
        cache.put(key, key.upper())
    assert cache.get("a") is None
    assert cache.get("d") == "D"
    assert len(cache) == 3


def test_use_protects_from_eviction(cache):
    for key in "abc":
        cache.put(key, key)
    cache.get("a")
    cache.put("d", "d")
    assert cache.get("a") == "a"
    assert cache.get("b") is None


def test_purge_counts(cache, clock):
    cache.put("a", 1)
    clock.advance(5)
    cache.put("b", 2)
    clock.advance(6)
    assert cache.purge() == 1
    assert len(cache) == 1


def test_ratio(cache):
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    cache.get("c")
    assert cache.ratio() == pytest.approx(1 / 3, abs=1e-9)


@pytest.mark.parametrize("size, ttl", [(0, 1), (-1, 1), (1, 0), (1, -5)])
def test_bad_arguments(size, ttl):
    with pytest.raises(ValueError):
        TtlCache(size=size, ttl=ttl)


def test_defaults():
    cache = TtlCache()
    assert cache.size == 128
    assert cache.ttl == 60.0
