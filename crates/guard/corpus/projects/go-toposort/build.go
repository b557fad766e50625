package toposort

import (
	"fmt"
	"log"
)

// Builder makes one thing.
type Builder interface {
	Build(name string) error
}

// BuildAll builds in order and stops at the first failure.
func BuildAll(graph Graph, builder Builder) (int, error) {
	if builder == nil {
		return 0, fmt.Errorf("no builder")
	}
	order, err := graph.Sort()
	if err != nil {
		return 0, err
	}
	for count, name := range order {
		if err := builder.Build(name); err != nil {
			log.Printf("build %s: %v", name, err)
			return count, fmt.Errorf("build %s: %w", name, err)
		}
	}
	return len(order), nil
}
