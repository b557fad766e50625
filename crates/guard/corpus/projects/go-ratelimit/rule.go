package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rule is a limit such as 10/s.
type Rule struct {
	Count int
	Per   time.Duration
}

// ParseRule reads a rule.
func ParseRule(text string) (Rule, error) {
	count, unit, found := strings.Cut(text, "/")
	if !found {
		return Rule{}, fmt.Errorf("no slash in %q", text)
	}
	number, err := strconv.Atoi(count)
	if err != nil {
		return Rule{}, fmt.Errorf("parse %q: %w", text, err)
	}
	per, err := UnitDuration(unit)
	if err != nil {
		return Rule{}, err
	}
	return Rule{Count: number, Per: per}, nil
}

// UnitDuration is the length of a unit.
func UnitDuration(unit string) (time.Duration, error) {
	switch unit {
	case "s":
		return time.Second, nil
	case "m":
		return time.Minute, nil
	case "h":
		return time.Hour, nil
	}
	return 0, fmt.Errorf("unknown unit %q", unit)
}

// FormatWait says how long to wait.
func FormatWait(seconds int) string {
	if seconds < 60 {
		return fmt.Sprintf("%ds", seconds)
	}
	return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
}

// PerSecond is the rate as a number.
func PerSecond(count int, seconds int) float64 {
	if seconds == 0 {
		return 0
	}
	return float64(count) / float64(seconds)
}

func twice(number int) int {
	return 2 * number
}
