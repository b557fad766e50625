package rules

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

var units = map[string]time.Duration{
	"s": time.Second,
	"m": time.Minute,
	"h": time.Hour,
	"d": 24 * time.Hour,
}

// ParseRate reads "5/m" or "100/90s".
func ParseRate(text string) (int, time.Duration, error) {
	count, span, found := strings.Cut(text, "/")
	if !found {
		return 0, 0, fmt.Errorf("rate %q needs a /", text)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || limit < 1 {
		return 0, 0, fmt.Errorf("rate %q must begin with a positive number", text)
	}
	span = strings.TrimSpace(span)
	if per, ok := units[span]; ok {
		return limit, per, nil
	}
	per, err := time.ParseDuration(span)
	if err != nil || per <= 0 {
		return 0, 0, fmt.Errorf("rate %q needs a time after the /", text)
	}
	return limit, per, nil
}
