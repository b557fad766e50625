// Package money holds amounts in cents.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Cents is an amount.
type Cents int64

// ErrFormat is the error of text that is no amount.
var ErrFormat = errors.New("not an amount")

// String gives the amount as 12.30.
func (c Cents) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}

// PerMille gives n thousandths, rounded half up.
func (c Cents) PerMille(n int64) Cents {
	return Cents((int64(c)*n + 500) / 1000)
}

// Parse reads 12.30 or 12.
func Parse(s string) (Cents, error) {
	whole, rest, found := strings.Cut(s, ".")
	if whole == "" || found && len(rest) != 2 {
		return 0, fmt.Errorf("%w: %q", ErrFormat, s)
	}
	if !found {
		rest = "00"
	}
	value, err := strconv.ParseUint(whole+rest, 10, 62)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrFormat, s)
	}
	return Cents(value), nil
}
