// Package catalog knows the books.
package catalog

import (
	"errors"
	"strings"
)

// ErrISBN is the error of a number that is no ISBN-13.
var ErrISBN = errors.New("not an ISBN")

// ISBN gives the thirteen digits of a number, without hyphens.
func ISBN(text string) (string, error) {
	digits := strings.NewReplacer("-", "", " ", "").Replace(text)
	if len(digits) != 13 {
		return "", ErrISBN
	}
	sum := 0
	for i, r := range digits {
		if r < '0' || r > '9' {
			return "", ErrISBN
		}
		weight := 1 + 2*(i%2)
		sum += int(r-'0') * weight
	}
	if sum%10 != 0 {
		return "", ErrISBN
	}
	return digits, nil
}
