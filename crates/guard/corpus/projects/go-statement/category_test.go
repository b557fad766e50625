package statement

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
)

type fakeGuesser struct {
	mock.Mock
}

func (f *fakeGuesser) Guess(text string) (string, error) {
	arguments := f.Called(text)
	return arguments.String(0), arguments.Error(1)
}

func TestCategorize(t *testing.T) {
	assert.Equal(t, "home", Categorize("RENT MAY"))
	assert.Equal(t, "food", Categorize("SUPERMARKET 12"))
	assert.Equal(t, "other", Categorize("CINEMA"))
}

func TestCategorizeRent(t *testing.T) {
	assert.Equal(t, "home", Categorize("RENT"))
}

func TestRentIsHome(t *testing.T) {
	assert.Equal(t, "home", Categorize("RENT"))
}

func TestTotals(t *testing.T) {
	guesser := &fakeGuesser{}
	guesser.On("Guess", "CINEMA").Return("fun", nil)
	totals, err := Totals([]Entry{{"d", "CINEMA", -900}, {"d", "RENT", -100}}, guesser)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"fun": -900, "home": -100}, totals)
	guesser.AssertExpectations(t)
}

func TestGuesserFails(t *testing.T) {
	guesser := &fakeGuesser{}
	guesser.On("Guess", mock.Anything).Return("", errors.New("offline"))
	totals, err := Totals([]Entry{{"d", "CINEMA", -900}}, guesser)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"other": -900}, totals)
}

func TestGuesserIsNeeded(t *testing.T) {
	_, err := Totals(nil, nil)
	assert.EqualError(t, err, "no guesser")
}

func TestModel(t *testing.T) {
	t.Skip("needs the model")
	assert.Equal(t, "other", Categorize(""))
}
