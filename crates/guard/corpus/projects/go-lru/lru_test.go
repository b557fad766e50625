package lru

import (
	"errors"
	"reflect"
	"testing"
)

func filled(t *testing.T, size int, keys ...string) *Cache {
	t.Helper()
	cache, err := New(size)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if err := cache.Put(key, key+"!"); err != nil {
			t.Fatal(err)
		}
	}
	return cache
}

func TestGet(t *testing.T) {
	cache := filled(t, 2, "a", "b")
	value, ok := cache.Get("a")
	if !ok {
		t.Fatal("a is missing")
	}
	if value != "a!" {
		t.Errorf("got %v, want %v", value, "a!")
	}
}

func TestMissing(t *testing.T) {
	cache := filled(t, 2, "a")
	if _, ok := cache.Get("z"); ok {
		t.Error("found z")
	}
	if cache.misses != 1 {
		t.Errorf("got %d misses, want %d", cache.misses, 1)
	}
}

func TestOldestIsEvicted(t *testing.T) {
	cache := filled(t, 2, "a", "b", "c")
	if got, want := cache.Keys(), []string{"c", "b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := cache.Len(); got != 2 {
		t.Errorf("got %d, want %d", got, 2)
	}
}

func TestUseProtects(t *testing.T) {
	cache := filled(t, 2, "a", "b")
	cache.Get("a")
	_ = cache.Put("c", 3)
	if _, ok := cache.Get("a"); !ok {
		t.Error("a was evicted")
	}
}

func TestEvictionIsTold(t *testing.T) {
	cache := filled(t, 1, "a")
	var told []string
	cache.OnEvict = func(key string, _ any) { told = append(told, key) }
	_ = cache.Put("b", 2)
	if want := []string{"a"}; !reflect.DeepEqual(told, want) {
		t.Errorf("got %v, want %v", told, want)
	}
}

func TestNegativeSize(t *testing.T) {
	_, err := New(-1)
	if !errors.Is(err, ErrSize) {
		t.Errorf("got %v, want %v", err, ErrSize)
	}
}

func TestEmptyKey(t *testing.T) {
	cache := filled(t, 1)
	if err := cache.Put("", 1); err == nil {
		t.Error("an empty key was accepted")
	}
}

func TestDefaultSize(t *testing.T) {
	cache := filled(t, 0)
	if cache.size != 64 {
		t.Errorf("got %d, want %d", cache.size, 64)
	}
}
