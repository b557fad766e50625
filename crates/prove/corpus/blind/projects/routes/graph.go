// Package routes finds ways through small networks.
package routes

import (
	"errors"
	"fmt"
	"sort"
)

// ErrNoWay says that there is no way between two places.
var ErrNoWay = errors.New("no way")

// Graph is a directed network; costs are not negative.
type Graph struct {
	edges map[string]map[string]int
}

// NewGraph makes an empty network.
func NewGraph() *Graph {
	return &Graph{edges: map[string]map[string]int{}}
}

// AddNode makes a place known.
func (g *Graph) AddNode(name string) {
	if g.edges[name] == nil {
		g.edges[name] = map[string]int{}
	}
}

// Add makes a road; of two roads the cheaper one stays.
func (g *Graph) Add(from, to string, cost int) error {
	if cost < 0 {
		return fmt.Errorf("cost of %s-%s is negative: %d", from, to, cost)
	}
	if from == to {
		return fmt.Errorf("%s leads to itself", from)
	}
	g.AddNode(from)
	g.AddNode(to)
	if old, ok := g.edges[from][to]; !ok || cost < old {
		g.edges[from][to] = cost
	}
	return nil
}

// Nodes gives all places, sorted.
func (g *Graph) Nodes() []string {
	names := make([]string, 0, len(g.edges))
	for name := range g.edges {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (g *Graph) next(name string) []string {
	names := make([]string, 0, len(g.edges[name]))
	for to := range g.edges[name] {
		names = append(names, to)
	}
	sort.Strings(names)
	return names
}
