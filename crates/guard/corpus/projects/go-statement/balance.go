package statement

import "fmt"

// Balance adds the entries to an opening balance.
func Balance(opening int, entries []Entry) int {
	for _, entry := range entries {
		opening += entry.Cents
	}
	return opening
}

// FormatCents writes an amount.
func FormatCents(cents int) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d,%02d", sign, cents/100, cents%100)
}

// Overdraft says by how much a limit is passed.
func Overdraft(balance int, limit int) (int, error) {
	if limit < 0 {
		return 0, fmt.Errorf("limit is negative")
	}
	if balance >= -limit {
		return 0, nil
	}
	return -limit - balance, nil
}

// Interest is what a year costs.
func Interest(cents int, percent float64) float64 {
	return float64(cents) * percent / 100
}
