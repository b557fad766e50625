// Package statement reads bank statements.
package statement

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrEmpty is returned for a statement without lines.
var ErrEmpty = errors.New("empty statement")

// Entry is one line of a statement.
type Entry struct {
	Day   string
	Text  string
	Cents int
}

// ParseCents reads an amount such as -12,50.
func ParseCents(text string) (int, error) {
	whole, rest, found := strings.Cut(text, ",")
	if !found || len(rest) != 2 {
		return 0, fmt.Errorf("invalid amount %q", text)
	}
	number, err := strconv.Atoi(whole + rest)
	if err != nil {
		return 0, fmt.Errorf("amount %q: %w", text, err)
	}
	return number, nil
}

// ParseLine reads one entry.
func ParseLine(line string) (Entry, error) {
	fields := strings.Split(line, ";")
	if len(fields) != 3 {
		return Entry{}, fmt.Errorf("want 3 fields but got %d", len(fields))
	}
	cents, err := ParseCents(fields[2])
	if err != nil {
		return Entry{}, err
	}
	return Entry{Day: fields[0], Text: strings.TrimSpace(fields[1]), Cents: cents}, nil
}

// Parse reads a whole statement.
func Parse(text string) ([]Entry, error) {
	var entries []Entry
	for number, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		entry, err := ParseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return nil, ErrEmpty
	}
	return entries, nil
}

func lower(text string) string {
	return strings.ToLower(text)
}
