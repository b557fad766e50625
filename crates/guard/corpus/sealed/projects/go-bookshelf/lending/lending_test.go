package lending_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/suite"

	"example.org/bookshelf/lending"
	"example.org/bookshelf/store"
)

type notifier struct{ mock.Mock }

func (n *notifier) Ready(reader, isbn string) error {
	return n.Called(reader, isbn).Error(0)
}

type DeskSuite struct {
	suite.Suite
	now      time.Time
	store    *store.Memory
	notifier *notifier
	desk     *lending.Desk
}

func TestDesk(t *testing.T) {
	suite.Run(t, new(DeskSuite))
}

func (s *DeskSuite) SetupTest() {
	s.now = time.Date(2024, 5, 6, 9, 0, 0, 0, time.UTC)
	s.store = store.New()
	s.notifier = new(notifier)
	s.desk = &lending.Desk{Store: s.store, Notifier: s.notifier, Now: func() time.Time { return s.now }}
}

func (s *DeskSuite) TearDownTest() {
	s.notifier.AssertExpectations(s.T())
}

func (s *DeskSuite) lend(isbn, reader string) {
	_, err := s.desk.Lend(isbn, reader)
	s.Require().NoError(err)
}

func (s *DeskSuite) days(n int) {
	s.now = s.now.AddDate(0, 0, n)
}

func (s *DeskSuite) TestLend() {
	loan, err := s.desk.Lend("a", "mo")
	s.Require().NoError(err)
	s.Equal(lending.Loan{ISBN: "a", Reader: "mo", Due: s.now.AddDate(0, 0, 21)}, loan)

	stored, err := s.store.Loan("a")
	s.Require().NoError(err)
	s.Equal(&loan, stored)
}

func (s *DeskSuite) TestLendTwice() {
	s.lend("a", "mo")
	_, err := s.desk.Lend("a", "li")
	s.ErrorIs(err, lending.ErrLent)
	s.EqualError(err, "the book is lent until 2024-05-27")
}

func (s *DeskSuite) TestLendTooMany() {
	for i := 0; i < lending.MostBooks; i++ {
		s.lend(fmt.Sprint(i), "mo")
	}
	_, err := s.desk.Lend("one more", "mo")
	s.ErrorIs(err, lending.ErrTooMany)
	s.EqualError(err, "too many books: mo has 5")
}

func (s *DeskSuite) TestReservationsAreServedInOrder() {
	s.Require().NoError(s.store.SetReservations("a", []string{"li", "mo"}))
	_, err := s.desk.Lend("a", "mo")
	s.ErrorIs(err, lending.ErrReserved)
	s.lend("a", "li")
	waiting, err := s.store.Reservations("a")
	s.NoError(err)
	s.Equal([]string{"mo"}, waiting)
}

func (s *DeskSuite) TestRenew() {
	s.lend("a", "mo")
	for n := 1; n <= lending.MostRenewals; n++ {
		s.days(10)
		loan, err := s.desk.Renew("a", "mo")
		s.Require().NoError(err)
		s.Equal(n, loan.Renewals)
		s.Equal(s.now.AddDate(0, 0, 21), loan.Due)
	}
	_, err := s.desk.Renew("a", "mo")
	s.ErrorIs(err, lending.ErrRenewals)
}

func (s *DeskSuite) TestRenewIsRefused() {
	_, err := s.desk.Renew("a", "mo")
	s.ErrorIs(err, lending.ErrNoLoan)
	s.lend("a", "mo")
	_, err = s.desk.Renew("a", "li")
	s.ErrorIs(err, lending.ErrNoLoan)
	s.Require().NoError(s.store.SetReservations("a", []string{"li"}))
	_, err = s.desk.Renew("a", "mo")
	s.ErrorIs(err, lending.ErrReserved)
}

func (s *DeskSuite) TestReturn() {
	s.lend("a", "mo")
	s.days(23)
	fine, err := s.desk.Return("a")
	s.Require().NoError(err)
	s.Equal(40, fine)
	_, err = s.desk.Return("a")
	s.ErrorIs(err, lending.ErrNoLoan)
}

func (s *DeskSuite) TestReturnTellsTheNextReader() {
	s.lend("a", "mo")
	s.Require().NoError(s.store.SetReservations("a", []string{"li", "xu"}))
	s.notifier.On("Ready", "li", "a").Return(nil).Once()
	_, err := s.desk.Return("a")
	s.NoError(err)
}

func (s *DeskSuite) TestReturnWhenNobodyCanBeTold() {
	broken := errors.New("no mail")
	s.lend("a", "mo")
	s.Require().NoError(s.store.SetReservations("a", []string{"li"}))
	s.notifier.On("Ready", mock.Anything, mock.Anything).Return(broken)
	_, err := s.desk.Return("a")
	s.ErrorIs(err, broken)
	loan, err := s.store.Loan("a")
	s.NoError(err)
	s.Nil(loan)
}
