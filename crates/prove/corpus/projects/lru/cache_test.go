package lru

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"
)

func TestCapacity(t *testing.T) {
	for _, capacity := range []int{0, -1} {
		if _, err := New(Options{Capacity: capacity}); !errors.Is(err, ErrCapacity) {
			t.Errorf("capacity %d: %v", capacity, err)
		}
	}
}

func TestEvictsTheOldest(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 3})
	fill(t, cache, "a", "b", "c")
	cache.Get("a")
	fill(t, cache, "d")
	wantKeys(t, cache, "d", "a", "c")
}

func TestSetAgain(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 2})
	fill(t, cache, "a", "b", "a")
	wantKeys(t, cache, "a", "b")
	if cache.Used() != 2 {
		t.Errorf("used %d", cache.Used())
	}
}

func TestPeekHasNoEffect(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 2})
	fill(t, cache, "a", "b")
	if value, ok := cache.Peek("a"); !ok || value != "value of a" {
		t.Errorf("%v %v", value, ok)
	}
	wantKeys(t, cache, "b", "a")
	if stats := cache.Stats(); stats.Hits != 0 {
		t.Errorf("stats %v", stats)
	}
}

func TestCost(t *testing.T) {
	var evicted []string
	cache, _ := newCache(t, Options{Capacity: 10, OnEvict: func(key string, _ interface{}) { evicted = append(evicted, key) }})
	for _, step := range []struct {
		key  string
		cost int
		used int
	}{{"a", 4, 4}, {"b", 4, 8}, {"c", 2, 10}, {"d", 5, 7}, {"e", 0, 8}} {
		if err := cache.SetCost(step.key, nil, step.cost); err != nil {
			t.Fatal(err)
		}
		if cache.Used() != step.used {
			t.Errorf("after %s: used %d, want %d", step.key, cache.Used(), step.used)
		}
	}
	if want := []string{"a", "b"}; !reflect.DeepEqual(evicted, want) {
		t.Errorf("evicted %v, want %v", evicted, want)
	}
	if err := cache.SetCost("f", nil, 11); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestTTL(t *testing.T) {
	cache, clock := newCache(t, Options{Capacity: 5, TTL: time.Minute})
	fill(t, cache, "a")
	clock.Advance(59 * time.Second)
	if _, ok := cache.Get("a"); !ok {
		t.Error("gone too early")
	}
	clock.Advance(time.Second)
	if _, ok := cache.Peek("a"); ok {
		t.Error("still there for Peek")
	}
	if _, ok := cache.Get("a"); ok || cache.Len() != 0 {
		t.Error("still there")
	}
}

func TestSweep(t *testing.T) {
	cache, clock := newCache(t, Options{Capacity: 5, TTL: time.Minute})
	fill(t, cache, "a", "b")
	clock.Advance(30 * time.Second)
	fill(t, cache, "c")
	clock.Advance(40 * time.Second)
	if count := cache.Sweep(); count != 2 {
		t.Errorf("swept %d", count)
	}
	wantKeys(t, cache, "c")
}

func TestDelete(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 2})
	fill(t, cache, "a")
	if !cache.Delete("a") || cache.Delete("a") {
		t.Error("delete")
	}
	if cache.Used() != 0 {
		t.Errorf("used %d", cache.Used())
	}
}

func TestResize(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 4})
	fill(t, cache, "a", "b", "c", "d")
	if err := cache.Resize(2); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, cache, "d", "c")
	if err := cache.Resize(0); !errors.Is(err, ErrCapacity) {
		t.Errorf("resize to 0: %v", err)
	}
}

// The cache agrees with a slow model over many random steps.
func TestModel(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	cache, _ := newCache(t, Options{Capacity: 8})
	model := []string{}
	for step := 0; step < 3000; step++ {
		key := fmt.Sprint(random.Intn(14))
		at := -1
		for i, other := range model {
			if other == key {
				at = i
			}
		}
		set := random.Intn(3) == 0
		if set {
			cache.Set(key, step)
		} else if _, ok := cache.Get(key); ok != (at >= 0) {
			t.Fatalf("step %d: key %s found %v", step, key, ok)
		}
		if at >= 0 {
			model = append(model[:at], model[at+1:]...)
		}
		if at >= 0 || set {
			model = append([]string{key}, model...)
		}
		if len(model) > 8 {
			model = model[:8]
		}
		if got := cache.Keys(); !reflect.DeepEqual(got, model) {
			t.Fatalf("step %d: %v, want %v", step, got, model)
		}
	}
}
