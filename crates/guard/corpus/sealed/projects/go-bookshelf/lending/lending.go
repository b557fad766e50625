// Package lending lends books to readers.
package lending

import (
	"errors"
	"fmt"
	"time"
)

// Rules.
const (
	MostBooks    = 5
	LoanDays     = 21
	MostRenewals = 2
	FinePerDay   = 20
	LargestFine  = 1000
)

// Errors of requests that are refused.
var (
	ErrTooMany  = errors.New("too many books")
	ErrLent     = errors.New("the book is lent")
	ErrReserved = errors.New("somebody else reserved the book")
	ErrNoLoan   = errors.New("no such loan")
	ErrRenewals = errors.New("renewed too often")
)

// Loan is a book that somebody has.
type Loan struct {
	ISBN, Reader string
	Due          time.Time
	Renewals     int
}

// Store keeps loans and reservations.
type Store interface {
	Loan(isbn string) (*Loan, error)
	LoansOf(reader string) ([]Loan, error)
	Put(loan Loan) error
	Remove(isbn string) error
	Reservations(isbn string) ([]string, error)
	SetReservations(isbn string, readers []string) error
}

// Notifier tells readers that a book is there.
type Notifier interface {
	Ready(reader, isbn string) error
}

// Desk is where books are lent.
type Desk struct {
	Store    Store
	Notifier Notifier
	Now      func() time.Time
}

// Lend gives a book to a reader.
func (d *Desk) Lend(isbn, reader string) (Loan, error) {
	if loan, err := d.Store.Loan(isbn); err != nil {
		return Loan{}, err
	} else if loan != nil {
		return Loan{}, fmt.Errorf("%w until %s", ErrLent, loan.Due.Format("2006-01-02"))
	}
	waiting, err := d.Store.Reservations(isbn)
	if err != nil {
		return Loan{}, err
	}
	if len(waiting) > 0 && waiting[0] != reader {
		return Loan{}, ErrReserved
	}
	loans, err := d.Store.LoansOf(reader)
	if err != nil {
		return Loan{}, err
	}
	if len(loans) >= MostBooks {
		return Loan{}, fmt.Errorf("%w: %s has %d", ErrTooMany, reader, len(loans))
	}
	if len(waiting) > 0 {
		if err := d.Store.SetReservations(isbn, waiting[1:]); err != nil {
			return Loan{}, err
		}
	}
	loan := Loan{ISBN: isbn, Reader: reader, Due: d.Now().AddDate(0, 0, LoanDays)}
	return loan, d.Store.Put(loan)
}

// Renew lets a reader keep a book for longer.
func (d *Desk) Renew(isbn, reader string) (Loan, error) {
	loan, err := d.Store.Loan(isbn)
	if err != nil {
		return Loan{}, err
	}
	if loan == nil || loan.Reader != reader {
		return Loan{}, ErrNoLoan
	}
	waiting, err := d.Store.Reservations(isbn)
	if err != nil {
		return Loan{}, err
	}
	if len(waiting) > 0 {
		return Loan{}, ErrReserved
	}
	if loan.Renewals >= MostRenewals {
		return Loan{}, ErrRenewals
	}
	loan.Renewals++
	loan.Due = d.Now().AddDate(0, 0, LoanDays)
	return *loan, d.Store.Put(*loan)
}

// Return takes a book back and says what it costs, in cents.
func (d *Desk) Return(isbn string) (int, error) {
	loan, err := d.Store.Loan(isbn)
	if err != nil {
		return 0, err
	}
	if loan == nil {
		return 0, ErrNoLoan
	}
	if err := d.Store.Remove(isbn); err != nil {
		return 0, err
	}
	fine := Fine(loan.Due, d.Now())
	waiting, err := d.Store.Reservations(isbn)
	if err != nil {
		return fine, err
	}
	if len(waiting) > 0 {
		return fine, d.Notifier.Ready(waiting[0], isbn)
	}
	return fine, nil
}

// Fine is what a book costs that was due on a day and came on another.
func Fine(due, returned time.Time) int {
	fine := 0
	for day := due.AddDate(0, 0, 1); !day.After(returned); day = day.AddDate(0, 0, 1) {
		if day.Weekday() != time.Sunday {
			fine += FinePerDay
		}
		if fine >= LargestFine {
			return LargestFine
		}
	}
	return fine
}
