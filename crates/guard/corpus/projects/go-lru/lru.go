// Package lru is a cache of bounded size.
package lru

import (
	"container/list"
	"errors"
	"fmt"
)

// DefaultSize is used by New for a size of 0.
const DefaultSize = 64

// ErrSize is returned for a negative size.
var ErrSize = errors.New("negative size")

type entry struct {
	key   string
	value any
}

// Cache drops what was used longest ago.
type Cache struct {
	size    int
	order   *list.List
	items   map[string]*list.Element
	OnEvict func(key string, value any)
	hits    int
	misses  int
}

// New makes a cache.
func New(size int) (*Cache, error) {
	if size < 0 {
		return nil, ErrSize
	}
	if size == 0 {
		size = DefaultSize
	}
	return &Cache{size: size, order: list.New(), items: map[string]*list.Element{}}, nil
}

// Put stores a value.
func (c *Cache) Put(key string, value any) error {
	if key == "" {
		return fmt.Errorf("empty key")
	}
	if element, ok := c.items[key]; ok {
		element.Value.(*entry).value = value
		c.order.MoveToFront(element)
		return nil
	}
	c.items[key] = c.order.PushFront(&entry{key, value})
	for c.order.Len() > c.size {
		c.evict()
	}
	return nil
}

// Get finds a value.
func (c *Cache) Get(key string) (any, bool) {
	element, ok := c.items[key]
	if !ok {
		c.misses++
		return nil, false
	}
	c.hits++
	c.order.MoveToFront(element)
	return element.Value.(*entry).value, true
}

// Len counts the entries.
func (c *Cache) Len() int {
	return c.order.Len()
}

// Keys lists the keys, most recently used first.
func (c *Cache) Keys() []string {
	keys := make([]string, 0, c.order.Len())
	for element := c.order.Front(); element != nil; element = element.Next() {
		keys = append(keys, element.Value.(*entry).key)
	}
	return keys
}

func (c *Cache) evict() {
	last := c.order.Back()
	c.order.Remove(last)
	old := last.Value.(*entry)
	delete(c.items, old.key)
	if c.OnEvict != nil {
		c.OnEvict(old.key, old.value)
	}
}
