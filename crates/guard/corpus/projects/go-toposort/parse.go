package toposort

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Read reads lines like "app: lib util".
func Read(reader io.Reader) (Graph, error) {
	graph := Graph{}
	scanner := bufio.NewScanner(reader)
	for number := 1; scanner.Scan(); number++ {
		line := StripComment(scanner.Text())
		if line == "" {
			continue
		}
		node, needs, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("line %d: no colon", number)
		}
		if err := graph.Add(strings.TrimSpace(node), strings.Fields(needs)...); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return graph, nil
}

// StripComment drops what follows a hash.
func StripComment(line string) string {
	before, _, _ := strings.Cut(line, "#")
	return strings.TrimSpace(before)
}

func upper(name string) string {
	return strings.ToUpper(name)
}

// Indent puts two spaces per level before a name.
func Indent(name string, level int) string {
	return strings.Repeat("  ", level) + name
}
