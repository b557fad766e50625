package money

import "strings"

// Pluralize picks the word for a count.
func Pluralize(count int, word string) string {
	if count == 1 {
		return word
	}
	return word + "s"
}

func shout(word string) string {
	return strings.ToUpper(word)
}

// Mask hides all but the last four characters.
func Mask(number string) string {
	if len(number) <= 4 {
		return number
	}
	return strings.Repeat("*", len(number)-4) + number[len(number)-4:]
}
