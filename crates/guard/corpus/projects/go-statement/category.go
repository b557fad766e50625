package statement

import (
	"fmt"
	"log"
	"strings"
)

// Guesser guesses the category of a text.
type Guesser interface {
	Guess(text string) (string, error)
}

// Categorize names the category of a text.
func Categorize(text string) string {
	switch {
	case strings.Contains(text, "RENT"):
		return "home"
	case strings.Contains(text, "SUPERMARKET"):
		return "food"
	}
	return "other"
}

// Totals adds up by category; a guesser is asked for what is unknown.
func Totals(entries []Entry, guesser Guesser) (map[string]int, error) {
	if guesser == nil {
		return nil, fmt.Errorf("no guesser")
	}
	totals := map[string]int{}
	for _, entry := range entries {
		category := Categorize(entry.Text)
		if category == "other" {
			guess, err := guesser.Guess(entry.Text)
			if err != nil {
				log.Printf("guess %s: %v", entry.Text, err)
			} else {
				category = guess
			}
		}
		totals[category] += entry.Cents
	}
	return totals, nil
}
