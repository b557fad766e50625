// Package shard spreads keys over several caches.
package shard

import (
	"errors"
	"hash/fnv"
	"sync"

	"example.org/lru"
)

// ErrShards is returned for an impossible number of shards.
var ErrShards = errors.New("shard: between 1 and 256 shards")

type part struct {
	sync.Mutex
	cache *lru.Cache
}

// Cache is safe for concurrent use.
type Cache struct {
	parts []*part
}

// New divides the capacity; the first parts get the rest.
func New(shards int, options lru.Options) (*Cache, error) {
	if shards < 1 || shards > 256 {
		return nil, ErrShards
	}
	if options.Capacity < shards {
		return nil, lru.ErrCapacity
	}
	cache := &Cache{}
	share, rest := options.Capacity/shards, options.Capacity%shards
	for i := 0; i < shards; i++ {
		mine := options
		mine.Capacity = share
		if i < rest {
			mine.Capacity++
		}
		inner, err := lru.New(mine)
		if err != nil {
			return nil, err
		}
		cache.parts = append(cache.parts, &part{cache: inner})
	}
	return cache, nil
}

// Index is the number of the shard of a key.
func (c *Cache) Index(key string) int {
	hash := fnv.New32a()
	hash.Write([]byte(key))
	return int(hash.Sum32() % uint32(len(c.parts)))
}

func (c *Cache) at(key string) *part { return c.parts[c.Index(key)] }

// Get returns the value of a key.
func (c *Cache) Get(key string) (interface{}, bool) {
	p := c.at(key)
	p.Lock()
	defer p.Unlock()
	return p.cache.Get(key)
}

// Set stores the value of a key.
func (c *Cache) Set(key string, value interface{}) error {
	p := c.at(key)
	p.Lock()
	defer p.Unlock()
	return p.cache.Set(key, value)
}

// Stats is the sum over all shards.
func (c *Cache) Stats() lru.Stats {
	sum := lru.Stats{}
	for _, p := range c.parts {
		p.Lock()
		sum = sum.Add(p.cache.Stats())
		p.Unlock()
	}
	return sum
}
