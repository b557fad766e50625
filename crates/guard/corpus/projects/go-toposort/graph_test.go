package toposort

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sample(t *testing.T) Graph {
	t.Helper()
	graph := Graph{}
	require.NoError(t, graph.Add("app", "lib", "util"))
	require.NoError(t, graph.Add("lib", "util"))
	return graph
}

func TestSort(t *testing.T) {
	order, err := sample(t).Sort()
	require.NoError(t, err)
	assert.Equal(t, []string{"util", "lib", "app"}, order)
}

func TestNodes(t *testing.T) {
	nodes := sample(t).Nodes()
	assert.Len(t, nodes, 3)
	assert.Equal(t, []string{"app", "lib", "util"}, nodes)
}

func TestCycle(t *testing.T) {
	graph := sample(t)
	require.NoError(t, graph.Add("util", "app"))
	_, err := graph.Sort()
	var cycle *CycleError
	require.ErrorAs(t, err, &cycle)
	assert.Equal(t, []string{"app", "lib", "util", "app"}, cycle.Path)
	assert.EqualError(t, err, "cycle: app -> lib -> util -> app")
}

func TestNeedsItself(t *testing.T) {
	err := Graph{}.Add("a", "a")
	assert.ErrorContains(t, err, "needs itself")
}

func TestNodeNeedsName(t *testing.T) {
	assert.Error(t, Graph{}.Add(""))
}

func TestEmptyGraph(t *testing.T) {
	order, err := Graph{}.Sort()
	assert.NoError(t, err)
	assert.Empty(t, order)
}
