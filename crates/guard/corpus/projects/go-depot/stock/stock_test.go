package stock

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/suite"
)

type DepotSuite struct {
	suite.Suite
	depot  *Depot
	alarms []string
}

func (s *DepotSuite) SetupTest() {
	s.alarms = nil
	s.depot = New(func(code string) { s.alarms = append(s.alarms, code) })
	s.Require().NoError(s.depot.Receive("AB-1234", 10))
}

func (s *DepotSuite) TestReceiveAdds() {
	s.Require().NoError(s.depot.Receive("AB-1234", 5))
	article, err := s.depot.Get("AB-1234")
	s.Require().NoError(err)
	s.Equal(15, article.Count)
	s.Equal(15, article.Free())
}

func (s *DepotSuite) TestReceiveRefuses() {
	s.EqualError(s.depot.Receive("AB-1234", 0), "count must be positive, got 0")
	s.ErrorContains(s.depot.Receive("nonsense", 1), "bad code")
}

func (s *DepotSuite) TestReserve() {
	s.Require().NoError(s.depot.Reserve("AB-1234", 4))
	article, err := s.depot.Get("AB-1234")
	s.Require().NoError(err)
	s.Equal(Article{Code: "AB-1234", Count: 10, Reserved: 4, Minimum: 2}, article)
	s.Equal(6, article.Free())
}

func (s *DepotSuite) TestReserveTooMany() {
	err := s.depot.Reserve("AB-1234", 11)
	s.Require().ErrorIs(err, ErrShort)
	s.EqualError(err, "not enough in stock: AB-1234 has 10, wanted 11")
}

func (s *DepotSuite) TestUnknownArticles() {
	s.ErrorIs(s.depot.Reserve("ZZ-0000", 1), ErrUnknown)
	s.ErrorIs(s.depot.Ship("ZZ-0000", 1), ErrUnknown)
	_, err := s.depot.Get("ZZ-0000")
	s.ErrorIs(err, ErrUnknown)
}

func (s *DepotSuite) TestShip() {
	s.Require().NoError(s.depot.Reserve("AB-1234", 4))
	s.Require().NoError(s.depot.Ship("AB-1234", 4))
	article, _ := s.depot.Get("AB-1234")
	s.Equal(6, article.Count)
	s.Zero(article.Reserved)
	s.Empty(s.alarms)
}

func (s *DepotSuite) TestShipOnlyReserved() {
	s.EqualError(s.depot.Ship("AB-1234", 1), "only 0 of AB-1234 are reserved")
}

func (s *DepotSuite) TestAlarm() {
	s.Require().NoError(s.depot.Reserve("AB-1234", 9))
	s.Require().NoError(s.depot.Ship("AB-1234", 9))
	s.Equal([]string{"AB-1234"}, s.alarms)
}

func (s *DepotSuite) TestCodesAreSorted() {
	s.Require().NoError(s.depot.Receive("ZA-0001", 1))
	s.Require().NoError(s.depot.Receive("AA-0001", 1))
	s.Equal([]string{"AA-0001", "AB-1234", "ZA-0001"}, s.depot.Codes())
}

func (s *DepotSuite) TestManyHands() {
	var hands sync.WaitGroup
	for i := 0; i < 10; i++ {
		hands.Add(1)
		go func() {
			defer hands.Done()
			_ = s.depot.Reserve("AB-1234", 1)
		}()
	}
	done := make(chan struct{})
	go func() { hands.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		s.Fail("the hands are stuck")
	}
	article, _ := s.depot.Get("AB-1234")
	s.Equal(0, article.Free())
}

func TestDepot(t *testing.T) {
	suite.Run(t, new(DepotSuite))
}
