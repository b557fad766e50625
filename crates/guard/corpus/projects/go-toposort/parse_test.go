package toposort

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	graph, err := Read(strings.NewReader("app: lib # main\n\nlib:\n"))
	require.NoError(t, err)
	assert.Equal(t, Graph{"app": {"lib"}, "lib": nil}, graph)
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name string
		text string
		want string
	}{
		{"no colon", "app lib", "line 1: no colon"},
		{"second line", "a:\n: b", "line 2: a node needs a name"},
		{"itself", "a: a", "line 1: a needs itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text))
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestStripComment(t *testing.T) {
	assert.Equal(t, "a: b", StripComment("a: b  # because"))
}

func TestStripOnlyComment(t *testing.T) {
	assert.Equal(t, "", StripComment("# nothing"))
}

func TestNoComment(t *testing.T) {
	assert.Equal(t, "x:", StripComment(" x: "))
}

func TestIndent(t *testing.T) {
	assert.Equal(t, "    lib", Indent("lib", 2))
	assert.Equal(t, "app", Indent("app", 0))
}
