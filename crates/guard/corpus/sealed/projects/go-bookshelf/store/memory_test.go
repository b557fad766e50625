package store_test

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/bookshelf/lending"
	"example.org/bookshelf/store"
)

func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile("../testdata/golden/" + name)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func filled(t *testing.T) *store.Memory {
	t.Helper()
	m := store.New()
	for i, isbn := range []string{"9780000000033", "9780000000019", "9780000000026"} {
		due := time.Date(2024, 5, 20-i/2, 0, 0, 0, 0, time.UTC)
		require.NoError(t, m.Put(lending.Loan{ISBN: isbn, Reader: []string{"mo", "li"}[i%2], Due: due, Renewals: i}))
	}
	return m
}

func TestDump(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, filled(t).Dump(&out))
	requireGolden(t, "loans.txt", out.String())
}

func TestLoansOf(t *testing.T) {
	loans, err := filled(t).LoansOf("mo")
	require.NoError(t, err)
	require.Len(t, loans, 2)
	assert.Equal(t, "9780000000026", loans[0].ISBN)
	assert.Equal(t, "9780000000033", loans[1].ISBN)
}

func TestPutRefuses(t *testing.T) {
	m := store.New()
	assert.Error(t, m.Put(lending.Loan{ISBN: "a"}))
	assert.ErrorContains(t, m.Put(lending.Loan{Reader: "mo"}), "a loan needs a book")
	loans, err := m.LoansOf("mo")
	assert.NoError(t, err)
	assert.Empty(t, loans)
}

func TestReservationsAreCopied(t *testing.T) {
	m := store.New()
	readers := []string{"mo", "li"}
	require.NoError(t, m.SetReservations("a", readers))
	readers[0] = "xu"
	got, err := m.Reservations("a")
	require.NoError(t, err)
	assert.Equal(t, []string{"mo", "li"}, got)
}

func TestManyGoroutines(t *testing.T) {
	m := store.New()
	var wait sync.WaitGroup
	for i := 0; i < 50; i++ {
		i := i
		wait.Add(1)
		go func() {
			defer wait.Done()
			assert.NoError(t, m.Put(lending.Loan{ISBN: fmt.Sprint(i), Reader: "mo"}))
		}()
	}
	wait.Wait()
	loans, err := m.LoansOf("mo")
	require.NoError(t, err)
	assert.Len(t, loans, 50)
}
