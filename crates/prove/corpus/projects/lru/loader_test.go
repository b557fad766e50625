package lru

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLoaderLoadsOnce(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 5})
	var loads int32
	gate := make(chan struct{})
	loader := NewLoader(cache, func(key string) (interface{}, error) {
		atomic.AddInt32(&loads, 1)
		<-gate
		return "<" + key + ">", nil
	})
	var group sync.WaitGroup
	for i := 0; i < 20; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if value, err := loader.Get("k"); err != nil || value != "<k>" {
				t.Errorf("%v %v", value, err)
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	close(gate)
	group.Wait()
	if value, err := loader.Get("k"); err != nil || value != "<k>" {
		t.Errorf("%v %v", value, err)
	}
	if loads != 1 {
		t.Errorf("%d loads", loads)
	}
}

func TestLoaderErrors(t *testing.T) {
	cache, _ := newCache(t, Options{Capacity: 5})
	broken := errors.New("broken")
	calls := 0
	loader := NewLoader(cache, func(key string) (interface{}, error) {
		calls++
		return "x", broken
	})
	for i := 1; i <= 2; i++ {
		value, err := loader.Get("k")
		if value != nil || !errors.Is(err, broken) || err.Error() != `load "k": broken` {
			t.Errorf("%v %v", value, err)
		}
		if calls != i {
			t.Errorf("%d calls", calls)
		}
	}
}
