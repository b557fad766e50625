package money

import (
	"fmt"
	"log"
	"sync"
)

// Account holds a balance.
type Account struct {
	mu      sync.Mutex
	Owner   string
	balance int64
	audit   func(string) error
}

// NewAccount opens an account.
func NewAccount(owner string, audit func(string) error) (*Account, error) {
	if owner == "" {
		return nil, fmt.Errorf("owner is required")
	}
	return &Account{Owner: owner, audit: audit}, nil
}

// Deposit adds money.
func (a *Account) Deposit(cents int64) error {
	if cents <= 0 {
		return fmt.Errorf("deposit must be positive")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += cents
	return a.record(fmt.Sprintf("deposit %s", Format(cents)))
}

// Withdraw takes money.
func (a *Account) Withdraw(cents int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cents > a.balance {
		return fmt.Errorf("insufficient funds: %s", Format(a.balance))
	}
	a.balance -= cents
	return a.record(fmt.Sprintf("withdraw %s", Format(cents)))
}

// Balance says what is left.
func (a *Account) Balance() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) record(line string) error {
	if a.audit == nil {
		return nil
	}
	if err := a.audit(line); err != nil {
		log.Printf("audit: %v", err)
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
