package order

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"example.org/depot/stock"
)

type shipperMock struct{ mock.Mock }

func (m *shipperMock) Pickup(reference string, kilos float64) (string, error) {
	called := m.Called(reference, kilos)
	return called.String(0), called.Error(1)
}

func filled(t *testing.T, counts map[string]int) *stock.Depot {
	t.Helper()
	depot := stock.New(nil)
	for code, count := range counts {
		require.NoError(t, depot.Receive(code, count))
	}
	return depot
}

func TestTotal(t *testing.T) {
	total, err := Total([]Line{{"AB-1234", 2, 250}, {"AB-0001", 1, 99}})
	require.NoError(t, err)
	assert.Equal(t, 599, total)
}

func TestTotalOfRecordedOrders(t *testing.T) {
	text, err := os.ReadFile("testdata/orders.json")
	require.NoError(t, err)
	var orders []struct {
		Lines []Line
		Total int
	}
	require.NoError(t, json.Unmarshal(text, &orders))
	require.Len(t, orders, 3)
	for _, order := range orders {
		total, err := Total(order.Lines)
		require.NoError(t, err)
		assert.Equal(t, order.Total, total)
	}
}

func TestTotalGivesDiscount(t *testing.T) {
	total, err := Total([]Line{{"AB-1234", 10, 10000}})
	require.NoError(t, err)
	assert.Equal(t, 95000, total)
}

func TestTotalRefuses(t *testing.T) {
	_, err := Total([]Line{{"AB-1234", 0, 10}})
	assert.EqualError(t, err, "bad line for AB-1234")
}

func TestWeight(t *testing.T) {
	assert.InDelta(t, 1.31, Weight([]Line{{"AB-1234", 3, 1}}), 0.001)
	assert.InDelta(t, 0.2, Weight(nil), 1e-9)
}

func TestPlace(t *testing.T) {
	depot := filled(t, map[string]int{"AB-1234": 5, "AB-0001": 1})
	open, err := Place(depot, []Line{{"AB-1234", 5, 1}, {"AB-0001", 2, 1}})
	require.NoError(t, err)
	assert.Equal(t, []Line{{"AB-0001", 2, 1}}, open)
	article, err := depot.Get("AB-1234")
	require.NoError(t, err)
	assert.Equal(t, 0, article.Free())
}

func TestPlaceNothing(t *testing.T) {
	_, err := Place(stock.New(nil), nil)
	assert.EqualError(t, err, "empty order")
}

func TestPlaceUnknown(t *testing.T) {
	_, err := Place(stock.New(nil), []Line{{"AB-1234", 1, 1}})
	assert.ErrorIs(t, err, stock.ErrUnknown)
	assert.ErrorContains(t, err, "place:")
}

func TestSend(t *testing.T) {
	depot := filled(t, map[string]int{"AB-1234": 5})
	lines := []Line{{"AB-1234", 5, 1}}
	_, err := Place(depot, lines)
	require.NoError(t, err)
	shipper := &shipperMock{}
	shipper.On("Pickup", "R-1", 2.05).Return("LABEL-7", nil).Once()

	label, err := Send(depot, shipper, "R-1", lines)

	require.NoError(t, err)
	assert.Equal(t, "LABEL-7", label)
	shipper.AssertExpectations(t)
}

func TestSendWithoutPickup(t *testing.T) {
	shipper := &shipperMock{}
	shipper.On("Pickup", mock.Anything, mock.Anything).Return("", errors.New("on strike"))
	label, err := Send(stock.New(nil), shipper, "R-2", nil)
	assert.Empty(t, label)
	assert.EqualError(t, err, "nobody picks up R-2: on strike")
}

func TestSendNotReserved(t *testing.T) {
	depot := filled(t, map[string]int{"AB-1234": 5})
	shipper := &shipperMock{}
	_, err := Send(depot, shipper, "R-3", []Line{{"AB-1234", 5, 1}})
	assert.ErrorContains(t, err, "send R-3: only 0")
	shipper.AssertNotCalled(t, "Pickup", mock.Anything, mock.Anything)
}
