package routes

import "fmt"

// Path is a way and what it costs.
type Path struct {
	Stops []string
	Cost  int
}

// Shortest finds the cheapest way; of equals the one whose names come first.
func (g *Graph) Shortest(from, to string) (Path, error) {
	for _, name := range []string{from, to} {
		if _, ok := g.edges[name]; !ok {
			return Path{}, fmt.Errorf("unknown place %q", name)
		}
	}
	cost := map[string]int{from: 0}
	before := map[string]string{}
	done := map[string]bool{}
	for {
		current, found := "", false
		for _, name := range g.Nodes() {
			c, seen := cost[name]
			if seen && !done[name] && (!found || c < cost[current]) {
				current, found = name, true
			}
		}
		if !found {
			return Path{}, fmt.Errorf("%s to %s: %w", from, to, ErrNoWay)
		}
		if current == to {
			break
		}
		done[current] = true
		for _, name := range g.next(current) {
			c := cost[current] + g.edges[current][name]
			if old, seen := cost[name]; !seen || c < old {
				cost[name] = c
				before[name] = current
			}
		}
	}
	stops := []string{to}
	for at := to; at != from; {
		at = before[at]
		stops = append([]string{at}, stops...)
	}
	return Path{Stops: stops, Cost: cost[to]}, nil
}

// Reachable gives every place that can be reached in at most hops roads, without the start.
func (g *Graph) Reachable(from string, hops int) []string {
	seen := map[string]bool{from: true}
	edge := []string{from}
	for i := 0; i < hops; i++ {
		var wider []string
		for _, at := range edge {
			for _, to := range g.next(at) {
				if !seen[to] {
					seen[to] = true
					wider = append(wider, to)
				}
			}
		}
		edge = wider
	}
	var out []string
	for _, name := range g.Nodes() {
		if seen[name] && name != from {
			out = append(out, name)
		}
	}
	return out
}
