package routes

import (
	"fmt"
	"strings"
)

// CycleError names the places that go round in a circle.
type CycleError struct {
	Names []string
}

func (e *CycleError) Error() string {
	return "circle: " + strings.Join(e.Names, ", ")
}

// Order sorts the places so that every road leads forward; of equals the first by name.
func (g *Graph) Order() ([]string, error) {
	need := map[string]int{}
	for _, from := range g.Nodes() {
		for _, to := range g.next(from) {
			need[to]++
		}
	}
	var out []string
	done := map[string]bool{}
	for len(out) < len(g.edges) {
		progress := false
		for _, name := range g.Nodes() {
			if done[name] || need[name] > 0 {
				continue
			}
			done[name] = true
			progress = true
			out = append(out, name)
			for _, to := range g.next(name) {
				need[to]--
			}
			break
		}
		if !progress {
			var left []string
			for _, name := range g.Nodes() {
				if !done[name] {
					left = append(left, name)
				}
			}
			return nil, &CycleError{Names: left}
		}
	}
	return out, nil
}

// Parse reads lines such as "a -> b 4"; '#' begins a comment.
func Parse(text string) (*Graph, error) {
	g := NewGraph()
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		var from, arrow, to string
		var cost int
		n, err := fmt.Sscanf(line, "%s %s %s %d", &from, &arrow, &to, &cost)
		if err != nil || n != 4 || arrow != "->" {
			return nil, fmt.Errorf("line %d: cannot read %q", i+1, line)
		}
		if err := g.Add(from, to, cost); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return g, nil
}
