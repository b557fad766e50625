package lru

import "fmt"

// Ratio is the share of hits.
func Ratio(hits, misses int) float64 {
	if hits+misses == 0 {
		return 0
	}
	return float64(hits) / float64(hits+misses)
}

// HumanBytes writes a size for people.
func HumanBytes(count int) string {
	if count < 1024 {
		return fmt.Sprintf("%d B", count)
	}
	return fmt.Sprintf("%d KiB", count/1024)
}

func double(count int) int {
	return count * 2
}

// Clamp keeps a value within bounds.
func Clamp(value, low, high int) int {
	if value < low {
		return low
	}
	if value > high {
		return high
	}
	return value
}
