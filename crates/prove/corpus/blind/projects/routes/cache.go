package routes

import "time"

// Clock tells the time.
type Clock func() time.Time

// Cache remembers ways for a while.
type Cache struct {
	graph *Graph
	ttl   time.Duration
	now   Clock
	known map[[2]string]entry
	Hits  int
}

type entry struct {
	path  Path
	until time.Time
}

// NewCache makes a cache; a nil clock is the clock of the system.
func NewCache(graph *Graph, ttl time.Duration, now Clock) *Cache {
	if now == nil {
		now = time.Now
	}
	return &Cache{graph: graph, ttl: ttl, now: now, known: map[[2]string]entry{}}
}

// Shortest asks the graph when nothing fresh is known. Errors are not remembered.
func (c *Cache) Shortest(from, to string) (Path, error) {
	key := [2]string{from, to}
	if known, ok := c.known[key]; ok && c.now().Before(known.until) {
		c.Hits++
		return known.path, nil
	}
	path, err := c.graph.Shortest(from, to)
	if err != nil {
		return Path{}, err
	}
	c.known[key] = entry{path: path, until: c.now().Add(c.ttl)}
	return path, nil
}
