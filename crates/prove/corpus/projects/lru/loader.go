package lru

import (
	"fmt"
	"sync"
)

type call struct {
	done  chan struct{}
	value interface{}
	err   error
}

// Loader fills a cache on demand; equal keys are loaded once at a time.
type Loader struct {
	mutex sync.Mutex
	cache *Cache
	load  func(key string) (interface{}, error)
	calls map[string]*call
}

// NewLoader takes over the cache.
func NewLoader(cache *Cache, load func(key string) (interface{}, error)) *Loader {
	return &Loader{cache: cache, load: load, calls: map[string]*call{}}
}

// Get returns the cached or the loaded value; errors are not cached.
func (l *Loader) Get(key string) (interface{}, error) {
	l.mutex.Lock()
	if value, ok := l.cache.Get(key); ok {
		l.mutex.Unlock()
		return value, nil
	}
	if other, ok := l.calls[key]; ok {
		l.mutex.Unlock()
		<-other.done
		return other.value, other.err
	}
	mine := &call{done: make(chan struct{})}
	l.calls[key] = mine
	l.mutex.Unlock()

	mine.value, mine.err = l.load(key)
	if mine.err != nil {
		mine.value, mine.err = nil, fmt.Errorf("load %q: %w", key, mine.err)
	}

	l.mutex.Lock()
	delete(l.calls, key)
	if mine.err == nil {
		mine.err = l.cache.Set(key, mine.value)
	}
	l.mutex.Unlock()
	close(mine.done)
	return mine.value, mine.err
}
