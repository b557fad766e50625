// Package money keeps amounts in whole cents.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxCents is the largest amount that is accepted.
const MaxCents = 1_000_000_000_00

// ErrEmpty is returned for empty input.
var ErrEmpty = errors.New("empty amount")

// Parse reads "12.34" as 1234.
func Parse(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, ErrEmpty
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 2 {
		return 0, fmt.Errorf("too many decimals: %q", text)
	}
	cents, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse %q: %w", text, err)
	}
	if cents > MaxCents {
		return 0, fmt.Errorf("amount too large: %q", text)
	}
	return cents, nil
}

// Format writes 1234 as "12.34".
func Format(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// Split divides an amount so that the sum stays exact.
func Split(cents int64, parts int) ([]int64, error) {
	if parts <= 0 {
		return nil, fmt.Errorf("cannot split into %d parts", parts)
	}
	result := make([]int64, parts)
	for i := range result {
		result[i] = cents / int64(parts)
		if int64(i) < cents%int64(parts) {
			result[i]++
		}
	}
	return result, nil
}

// Percent takes a share of an amount, rounded half up.
func Percent(cents int64, percent int64) int64 {
	return (cents*percent + 50) / 100
}
