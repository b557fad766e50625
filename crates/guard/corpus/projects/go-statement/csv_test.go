package statement

import (
	"fmt"
	"math/rand"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func unusedLines() []string {
	return []string{"2024-05-01;RENT;-900,00"}
}

func TestParseCents(t *testing.T) {
	cases := []struct {
		text string
		want int
	}{
		{"12,50", 1250},
		{"-0,99", -99},
		{"1000,00", 100000},
	}
	for _, c := range cases {
		got, err := ParseCents(c.text)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestBadAmounts(t *testing.T) {
	for _, text := range []string{"12", "1,5", "x,yz"} {
		_, err := ParseCents(text)
		assert.Error(t, err)
	}
}

func TestParseLine(t *testing.T) {
	entry, err := ParseLine("2024-05-01; RENT ;-900,00")
	require.NoError(t, err)
	assert.Equal(t, "2024-05-01", entry.Day)
	assert.Equal(t, "RENT", entry.Text)
	assert.Equal(t, -90000, entry.Cents)
}

func TestMissingField(t *testing.T) {
	_, err := ParseLine("2024-05-01;RENT")
	assert.EqualError(t, err, "want 3 fields but got 2")
}

func TestParse(t *testing.T) {
	entries, err := Parse("a;b;1,00\nc;d;2,00\n")
	require.NoError(t, err)
	assert.Equal(t, []Entry{{"a", "b", 100}, {"c", "d", 200}}, entries)
}

func TestLineNumber(t *testing.T) {
	_, err := Parse("a;b;1,00\nbroken")
	assert.ErrorContains(t, err, "line 2")
}

func TestEmptyStatement(t *testing.T) {
	_, err := Parse("\n")
	assert.ErrorIs(t, err, ErrEmpty)
}

func TestAnyAmountIsRead(t *testing.T) {
	check := func(cents uint16) bool {
		got, err := ParseCents(FormatCents(int(cents)))
		return err == nil && got == int(cents)
	}
	require.NoError(t, quick.Check(check, &quick.Config{MaxCount: 300}))
}

func TestRandomLines(t *testing.T) {
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	for i := 0; i < 250; i++ {
		cents := rng.Intn(100000)
		entry, err := ParseLine(fmt.Sprintf("d;t;%s", FormatCents(cents)))
		require.NoError(t, err)
		assert.Equal(t, cents, entry.Cents)
	}
}
