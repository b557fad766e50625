package money

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func newAccount(t *testing.T, cents int64) *Account {
	t.Helper()
	account, err := NewAccount("ann", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := account.Deposit(cents); err != nil {
		t.Fatal(err)
	}
	return account
}

func TestDeposit(t *testing.T) {
	account := newAccount(t, 500)
	if got := account.Balance(); got != 500 {
		t.Errorf("got %d, want %d", got, 500)
	}
	if account.Owner != "ann" {
		t.Errorf("owner is %q", account.Owner)
	}
}

func TestDepositMustBePositive(t *testing.T) {
	account := newAccount(t, 500)
	if err := account.Deposit(0); err == nil {
		t.Error("deposited nothing")
	}
	if got := account.Balance(); got != 500 {
		t.Errorf("got %d, want %d", got, 500)
	}
}

func TestWithdraw(t *testing.T) {
	account := newAccount(t, 500)
	if err := account.Withdraw(200); err != nil {
		t.Fatalf("withdraw: %v", err)
	}
	if got := account.Balance(); got != 300 {
		t.Errorf("got %d, want %d", got, 300)
	}
}

func TestWithdrawTooMuch(t *testing.T) {
	account := newAccount(t, 500)
	err := account.Withdraw(501)
	if err == nil || !strings.Contains(err.Error(), "insufficient funds: 5.00") {
		t.Errorf("got %v", err)
	}
}

func TestAuditFailureIsReported(t *testing.T) {
	broken := errors.New("disk full")
	account, _ := NewAccount("bob", func(string) error { return broken })
	if err := account.Deposit(1); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestOwnerIsRequired(t *testing.T) {
	if _, err := NewAccount("", nil); err == nil {
		t.Error("an account without owner")
	}
}

func TestDepositsFromManySides(t *testing.T) {
	account := newAccount(t, 1)
	done := make(chan struct{})
	for i := 0; i < 10; i++ {
		go func() {
			_ = account.Deposit(10)
			done <- struct{}{}
		}()
	}
	for i := 0; i < 10; i++ {
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			t.Fatal("deadline passed")
		}
	}
	if got := account.Balance(); got != 101 {
		t.Errorf("got %d, want %d", got, 101)
	}
}
