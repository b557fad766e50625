package statement

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func entriesOf(amounts ...int) []Entry {
	var entries []Entry
	for _, cents := range amounts {
		entries = append(entries, Entry{"2024-05-01", "x", cents})
	}
	return entries
}

func TestBalance(t *testing.T) {
	entries := entriesOf(100, -250)
	assert.Equal(t, -150, Balance(0, entries))
	assert.Equal(t, 50, Balance(200, entries))
}

func TestFormatCents(t *testing.T) {
	assert.Equal(t, "0,05", FormatCents(5))
	assert.Equal(t, "-12,00", FormatCents(-1200))
	assert.Equal(t, "99,99", FormatCents(9999))
}

func TestOverdraft(t *testing.T) {
	over, err := Overdraft(-700, 500)
	require.NoError(t, err)
	assert.Equal(t, 200, over)
}

func TestNoOverdraft(t *testing.T) {
	over, err := Overdraft(-500, 500)
	require.NoError(t, err)
	assert.Equal(t, 0, over)
}

func TestLimitIsNotNegative(t *testing.T) {
	_, err := Overdraft(0, -1)
	assert.EqualError(t, err, "limit is negative")
}

func TestInterest(t *testing.T) {
	assert.InDelta(t, 33.333, Interest(1000, 3.3333), 1e-3)
}

func TestBalanceIsFast(t *testing.T) {
	entries := entriesOf(make([]int, 10000)...)
	began := time.Now()
	Balance(0, entries)
	elapsed := time.Since(began)
	assert.Less(t, elapsed, 100*time.Millisecond)
}

func ExampleFormatCents() {
	fmt.Println(FormatCents(1250))
	// Output: 12,50
}
