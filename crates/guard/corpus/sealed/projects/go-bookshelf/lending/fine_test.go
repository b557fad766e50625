package lending_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/bookshelf/lending"
)

func TestFine(t *testing.T) {
	due := time.Date(2024, 5, 6, 9, 0, 0, 0, time.UTC) // a Monday
	tests := []struct {
		name string
		days int
		want int
	}{
		{"early", -3, 0},
		{"on the day", 0, 0},
		{"one day", 1, 20},
		{"a week with a Sunday", 7, 120},
		{"a year", 365, 1000},
	}
	for _, tt := range tests {
		tt := tt
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, lending.Fine(due, due.AddDate(0, 0, tt.days)))
		})
	}
}

func TestFineNeverFalls(t *testing.T) {
	due := time.Date(2024, 1, 31, 0, 0, 0, 0, time.UTC)
	last := 0
	for days := 0; days < 120; days++ {
		fine := lending.Fine(due, due.AddDate(0, 0, days))
		assert.GreaterOrEqual(t, fine, last, "after %d days", days)
		assert.LessOrEqual(t, fine, lending.LargestFine)
		last = fine
	}
	assert.Equal(t, lending.LargestFine, last)
}
