// Package lru keeps what was used last, for a while.
package lru

import (
	"container/list"
	"errors"
	"time"
)

// ErrCapacity is returned for caches that could hold nothing.
var ErrCapacity = errors.New("lru: capacity must be positive")

// ErrTooLarge is returned for values that do not fit at all.
var ErrTooLarge = errors.New("lru: value is larger than the cache")

type entry struct {
	key     string
	value   interface{}
	cost    int
	expires time.Time
}

// Options of a cache; the zero value of each means "without".
type Options struct {
	Capacity int                                 // sum of the costs
	TTL      time.Duration                       // how long an entry lives
	Now      func() time.Time                    // the clock
	OnEvict  func(key string, value interface{}) // told of entries that had to go
}

// Cache is not safe for concurrent use; see Loader and package shard.
type Cache struct {
	options Options
	order   *list.List
	items   map[string]*list.Element
	used    int
	stats   Stats
}

// New makes an empty cache.
func New(options Options) (*Cache, error) {
	if options.Capacity <= 0 {
		return nil, ErrCapacity
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Cache{options: options, order: list.New(), items: map[string]*list.Element{}}, nil
}

func (c *Cache) expired(e *entry) bool {
	return !e.expires.IsZero() && !c.options.Now().Before(e.expires)
}

// Get returns the value and moves it to the front.
func (c *Cache) Get(key string) (interface{}, bool) {
	element, ok := c.items[key]
	if ok && c.expired(element.Value.(*entry)) {
		c.remove(element)
		c.stats.Expired++
		ok = false
	}
	if !ok {
		c.stats.Misses++
		return nil, false
	}
	c.stats.Hits++
	c.order.MoveToFront(element)
	return element.Value.(*entry).value, true
}

// Peek is Get without any effect.
func (c *Cache) Peek(key string) (interface{}, bool) {
	element, ok := c.items[key]
	if !ok || c.expired(element.Value.(*entry)) {
		return nil, false
	}
	return element.Value.(*entry).value, true
}

// Set stores a value that costs one.
func (c *Cache) Set(key string, value interface{}) error {
	return c.SetCost(key, value, 1)
}

// SetCost stores a value and makes room for it.
func (c *Cache) SetCost(key string, value interface{}, cost int) error {
	if cost > c.options.Capacity {
		return ErrTooLarge
	}
	if cost < 1 {
		cost = 1
	}
	if element, ok := c.items[key]; ok {
		c.remove(element)
	}
	for c.used+cost > c.options.Capacity {
		c.evict()
	}
	e := &entry{key: key, value: value, cost: cost}
	if c.options.TTL > 0 {
		e.expires = c.options.Now().Add(c.options.TTL)
	}
	c.items[key] = c.order.PushFront(e)
	c.used += cost
	return nil
}

func (c *Cache) evict() {
	oldest := c.order.Back()
	e := oldest.Value.(*entry)
	c.remove(oldest)
	c.stats.Evicted++
	if c.options.OnEvict != nil {
		c.options.OnEvict(e.key, e.value)
	}
}

func (c *Cache) remove(element *list.Element) {
	e := c.order.Remove(element).(*entry)
	delete(c.items, e.key)
	c.used -= e.cost
}

// Delete says whether the key was there.
func (c *Cache) Delete(key string) bool {
	element, ok := c.items[key]
	if ok {
		c.remove(element)
	}
	return ok
}

// Sweep removes what has expired and says how many.
func (c *Cache) Sweep() int {
	count := 0
	for element := c.order.Back(); element != nil; {
		before := element.Prev()
		if c.expired(element.Value.(*entry)) {
			c.remove(element)
			c.stats.Expired++
			count++
		}
		element = before
	}
	return count
}

// Resize changes the capacity and evicts what no longer fits.
func (c *Cache) Resize(capacity int) error {
	if capacity <= 0 {
		return ErrCapacity
	}
	c.options.Capacity = capacity
	for c.used > capacity {
		c.evict()
	}
	return nil
}

// Keys lists the keys, the last used first.
func (c *Cache) Keys() []string {
	keys := make([]string, 0, len(c.items))
	for element := c.order.Front(); element != nil; element = element.Next() {
		keys = append(keys, element.Value.(*entry).key)
	}
	return keys
}

// Len is the number of entries, Used the sum of their costs.
func (c *Cache) Len() int  { return len(c.items) }
func (c *Cache) Used() int { return c.used }

// Stats returns the counters so far.
func (c *Cache) Stats() Stats { return c.stats }
