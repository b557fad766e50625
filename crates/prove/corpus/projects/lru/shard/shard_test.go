package shard

import (
	"errors"
	"fmt"
	"testing"

	"example.org/lru"
)

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		shards, capacity int
		want             error
	}{{0, 10, ErrShards}, {257, 1000, ErrShards}, {4, 3, lru.ErrCapacity}, {4, 4, nil}, {256, 256, nil}} {
		if _, err := New(row.shards, lru.Options{Capacity: row.capacity}); !errors.Is(err, row.want) {
			t.Errorf("%d shards, capacity %d: %v", row.shards, row.capacity, err)
		}
	}
}

func TestCapacityIsDivided(t *testing.T) {
	cache, err := New(3, lru.Options{Capacity: 8})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 300; i++ {
		cache.Set(fmt.Sprint(i), i)
	}
	total := 0
	for _, p := range cache.parts {
		total += p.cache.Len()
	}
	if total != 8 {
		t.Errorf("%d entries", total)
	}
}

func TestIndexIsStable(t *testing.T) {
	cache, _ := New(16, lru.Options{Capacity: 16})
	for key, want := range map[string]int{"": 5, "a": 12, "b": 5, "foobar": 8} {
		if got := cache.Index(key); got != want {
			t.Errorf("index of %q: %d, want %d", key, got, want)
		}
	}
}

func TestGetSetStats(t *testing.T) {
	cache, _ := New(4, lru.Options{Capacity: 400})
	for i := 0; i < 50; i++ {
		if err := cache.Set(fmt.Sprint(i), i); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < 60; i++ {
		if value, ok := cache.Get(fmt.Sprint(i)); ok != (i < 50) || ok && value != i {
			t.Errorf("%d: %v %v", i, value, ok)
		}
	}
	if got, want := cache.Stats(), (lru.Stats{Hits: 50, Misses: 10}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
