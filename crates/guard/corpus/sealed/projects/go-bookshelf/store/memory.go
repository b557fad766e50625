// Package store keeps loans in memory and writes them as text.
package store

import (
	"fmt"
	"io"
	"sort"
	"sync"

	"example.org/bookshelf/lending"
)

// Memory is a store for tests and small libraries. It may be used by many goroutines.
type Memory struct {
	mu       sync.Mutex
	loans    map[string]lending.Loan
	reserved map[string][]string
}

// New gives an empty store.
func New() *Memory {
	return &Memory{loans: map[string]lending.Loan{}, reserved: map[string][]string{}}
}

// Loan gives the loan of a book, or nil.
func (m *Memory) Loan(isbn string) (*lending.Loan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	loan, ok := m.loans[isbn]
	if !ok {
		return nil, nil
	}
	return &loan, nil
}

// LoansOf gives the loans of a reader, by ISBN.
func (m *Memory) LoansOf(reader string) ([]lending.Loan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var loans []lending.Loan
	for _, loan := range m.loans {
		if loan.Reader == reader {
			loans = append(loans, loan)
		}
	}
	sort.Slice(loans, func(i, j int) bool { return loans[i].ISBN < loans[j].ISBN })
	return loans, nil
}

// Put keeps a loan.
func (m *Memory) Put(loan lending.Loan) error {
	if loan.ISBN == "" || loan.Reader == "" {
		return fmt.Errorf("a loan needs a book and a reader: %+v", loan)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loans[loan.ISBN] = loan
	return nil
}

// Remove forgets a loan.
func (m *Memory) Remove(isbn string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.loans, isbn)
	return nil
}

// Reservations gives the readers who wait for a book.
func (m *Memory) Reservations(isbn string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.reserved[isbn]...), nil
}

// SetReservations replaces the readers who wait for a book.
func (m *Memory) SetReservations(isbn string, readers []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reserved[isbn] = append([]string(nil), readers...)
	return nil
}

// Dump writes all loans, by day and ISBN.
func (m *Memory) Dump(w io.Writer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	loans := make([]lending.Loan, 0, len(m.loans))
	for _, loan := range m.loans {
		loans = append(loans, loan)
	}
	sort.Slice(loans, func(i, j int) bool {
		if !loans[i].Due.Equal(loans[j].Due) {
			return loans[i].Due.Before(loans[j].Due)
		}
		return loans[i].ISBN < loans[j].ISBN
	})
	for _, loan := range loans {
		if _, err := fmt.Fprintf(w, "%s  %-13s  %-8s  %d\n", loan.Due.Format("2006-01-02"), loan.ISBN, loan.Reader, loan.Renewals); err != nil {
			return err
		}
	}
	return nil
}
