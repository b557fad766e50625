package lru

import (
	"math"
	"testing"
	"time"
)

func TestStats(t *testing.T) {
	cache, clock := newCache(t, Options{Capacity: 2, TTL: time.Second})
	fill(t, cache, "a", "b", "c")
	cache.Get("a")
	cache.Get("b")
	cache.Get("c")
	clock.Advance(time.Second)
	cache.Get("c")
	want := Stats{Hits: 2, Misses: 2, Evicted: 1, Expired: 1}
	if got := cache.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestRatio(t *testing.T) {
	for _, row := range []struct {
		stats Stats
		want  float64
	}{{Stats{}, 0}, {Stats{Hits: 1, Misses: 2}, 1.0 / 3}, {Stats{Hits: 5}, 1}} {
		if got := row.stats.Ratio(); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", row.stats, got, row.want)
		}
	}
}

func TestStatsString(t *testing.T) {
	got := Stats{Hits: 3, Misses: 1, Evicted: 7}.Add(Stats{Expired: 2}).String()
	if want := "3 hits, 1 misses (75.0 %), 7 evicted, 2 expired"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
