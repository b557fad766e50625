package stock

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckCode(t *testing.T) {
	assert.NoError(t, CheckCode("AB-1234"))
	for code, message := range map[string]string{
		"AB1234":  `bad code "AB1234"`,
		"ABC-123": `bad code "ABC-123"`,
		"ab-1234": `bad family in "ab-1234"`,
		"AB-12x4": `bad number in "AB-12x4"`,
	} {
		assert.EqualError(t, CheckCode(code), message)
	}
}

func TestShelf(t *testing.T) {
	shelf, err := Shelf("QX-0731")
	require.NoError(t, err)
	assert.Equal(t, "Q07.31", shelf)

	_, err = Shelf("QX")
	require.Error(t, err)
}

func TestNormalize(t *testing.T) {
	tests := []struct {
		name  string
		given string
		want  string
	}{
		{name: "as it is", given: "AB-1234", want: "AB-1234"},
		{name: "lower case", given: "ab-1234", want: "AB-1234"},
		{name: "no dash", given: "ab1234", want: "AB-1234"},
		{name: "blanks", given: "  ab-1234\n", want: "AB-1234"},
		{name: "nonsense stays", given: "x", want: "X"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Normalize(tt.given))
		})
	}
}
