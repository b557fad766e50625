// Package field parses one field of a cron line.
package field

import (
	"fmt"
	"strconv"
	"strings"
)

// Set is a set of small numbers.
type Set uint64

// Has says whether a number is in the set.
func (s Set) Has(number int) bool {
	return s&(1<<uint(number)) != 0
}

// Count counts the numbers.
func (s Set) Count() int {
	count := 0
	for ; s != 0; s &= s - 1 {
		count++
	}
	return count
}

// Parse reads "*", "5", "1-5", "*/15" and lists of those.
func Parse(text string, low, high int) (Set, error) {
	if text == "" {
		return 0, fmt.Errorf("empty field")
	}
	var set Set
	for _, part := range strings.Split(text, ",") {
		one, err := parsePart(part, low, high)
		if err != nil {
			return 0, fmt.Errorf("field %q: %w", text, err)
		}
		set |= one
	}
	return set, nil
}

func parsePart(part string, low, high int) (Set, error) {
	step := 1
	if before, after, found := strings.Cut(part, "/"); found {
		number, err := strconv.Atoi(after)
		if err != nil || number < 1 {
			return 0, fmt.Errorf("bad step %q", after)
		}
		part, step = before, number
	}
	from, to := low, high
	if part != "*" {
		first, last, isRange := strings.Cut(part, "-")
		number, err := strconv.Atoi(first)
		if err != nil {
			return 0, fmt.Errorf("bad number %q", first)
		}
		from, to = number, number
		if isRange {
			if to, err = strconv.Atoi(last); err != nil {
				return 0, fmt.Errorf("bad number %q", last)
			}
		}
	}
	if from < low || to > high || from > to {
		return 0, fmt.Errorf("not within %d-%d", low, high)
	}
	var set Set
	for number := from; number <= to; number += step {
		set |= 1 << uint(number)
	}
	return set, nil
}

func even(number int) bool {
	return number%2 == 0
}

// Ordinal writes 1 as "1st".
func Ordinal(number int) string {
	switch {
	case number%10 == 1 && number%100 != 11:
		return fmt.Sprintf("%dst", number)
	case number%10 == 2 && number%100 != 12:
		return fmt.Sprintf("%dnd", number)
	case number%10 == 3 && number%100 != 13:
		return fmt.Sprintf("%drd", number)
	}
	return fmt.Sprintf("%dth", number)
}
