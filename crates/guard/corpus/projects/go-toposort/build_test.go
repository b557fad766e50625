package toposort

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/suite"
)

type mockBuilder struct {
	mock.Mock
}

func (m *mockBuilder) Build(name string) error {
	return m.Called(name).Error(0)
}

type BuildSuite struct {
	suite.Suite
	builder *mockBuilder
	graph   Graph
}

func (s *BuildSuite) SetupTest() {
	s.builder = &mockBuilder{}
	s.graph = Graph{"app": {"lib"}, "lib": nil}
}

func (s *BuildSuite) TestBuildsInOrder() {
	s.builder.On("Build", "lib").Return(nil).Once()
	s.builder.On("Build", "app").Return(nil).Once()
	count, err := BuildAll(s.graph, s.builder)
	s.Require().NoError(err)
	s.Equal(2, count)
	s.builder.AssertExpectations(s.T())
}

func (s *BuildSuite) TestStopsAtFailure() {
	cause := errors.New("no compiler")
	s.builder.On("Build", "lib").Return(cause)
	count, err := BuildAll(s.graph, s.builder)
	s.ErrorIs(err, cause)
	s.Equal(0, count)
	s.builder.AssertNotCalled(s.T(), "Build", "app")
}

func TestBuildSuite(t *testing.T) {
	suite.Run(t, new(BuildSuite))
}

func TestBuilderIsNeeded(t *testing.T) {
	_, err := BuildAll(Graph{}, nil)
	assert.EqualError(t, err, "no builder")
}

func TestBuildsSoon(t *testing.T) {
	done := make(chan int, 1)
	go func() {
		count, _ := BuildAll(Graph{}, &mockBuilder{})
		done <- count
	}()
	assert.Eventually(t, func() bool { return len(done) == 1 }, 2*time.Second, 10*time.Millisecond)
	assert.Equal(t, 0, <-done)
}

func TestCommentOnly(t *testing.T) {
	assert.Equal(t, "", StripComment("# nothing"))
}
