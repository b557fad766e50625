// Package toposort orders things by what they need.
package toposort

import (
	"fmt"
	"sort"
	"strings"
)

// CycleError names the nodes of a cycle.
type CycleError struct {
	Path []string
}

func (e *CycleError) Error() string {
	return "cycle: " + strings.Join(e.Path, " -> ")
}

// Graph maps a node to what it needs.
type Graph map[string][]string

// Add says that a node needs others.
func (g Graph) Add(node string, needs ...string) error {
	if node == "" {
		return fmt.Errorf("a node needs a name")
	}
	for _, need := range needs {
		if need == node {
			return fmt.Errorf("%s needs itself", node)
		}
		if _, ok := g[need]; !ok {
			g[need] = nil
		}
	}
	g[node] = append(g[node], needs...)
	return nil
}

// Sort lists every node after what it needs.
func (g Graph) Sort() ([]string, error) {
	var order, path []string
	state := map[string]int{}
	var visit func(node string) error
	visit = func(node string) error {
		path = append(path, node)
		defer func() { path = path[:len(path)-1] }()
		switch state[node] {
		case 1:
			return &CycleError{append([]string(nil), path...)}
		case 2:
			return nil
		}
		state[node] = 1
		for _, need := range g[node] {
			if err := visit(need); err != nil {
				return err
			}
		}
		state[node] = 2
		order = append(order, node)
		return nil
	}
	for _, node := range g.Nodes() {
		if err := visit(node); err != nil {
			return nil, err
		}
	}
	return order, nil
}

// Nodes lists the nodes in order of their names.
func (g Graph) Nodes() []string {
	nodes := make([]string, 0, len(g))
	for node := range g {
		nodes = append(nodes, node)
	}
	sort.Strings(nodes)
	return nodes
}
