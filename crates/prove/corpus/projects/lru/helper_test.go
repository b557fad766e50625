package lru

import (
	"reflect"
	"testing"
	"time"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) Advance(d time.Duration) { c.now = c.now.Add(d) }

func newCache(t *testing.T, options Options) (*Cache, *clock) {
	t.Helper()
	c := &clock{time.Unix(1700000000, 0)}
	options.Now = c.Now
	cache, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return cache, c
}

func fill(t *testing.T, cache *Cache, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := cache.Set(key, "value of "+key); err != nil {
			t.Fatal(err)
		}
	}
}

func wantKeys(t *testing.T, cache *Cache, want ...string) {
	t.Helper()
	if got := cache.Keys(); !reflect.DeepEqual(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
}
