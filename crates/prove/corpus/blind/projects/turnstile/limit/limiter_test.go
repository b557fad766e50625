package limit

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"example.org/turnstile/rules"
)

var start = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that only moves when told to.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

func shop() ([]rules.Rule, *clock) {
	return []rules.Rule{
		{Name: "login", Path: "/login/*", Limit: 2, Per: time.Minute, Burst: 3, Methods: []string{"POST"}},
		{Name: "api", Path: "/api/**", Limit: 10, Per: time.Second, Burst: 10},
	}, &clock{start}
}

func login(client string) Request {
	return Request{Method: "POST", Path: "/login/ana", Client: client}
}

// times asks n times and tells how often the answer was yes.
func times(l *Limiter, n int, r Request) int {
	yes := 0
	for i := 0; i < n; i++ {
		if l.Allow(r).Allowed {
			yes++
		}
	}
	return yes
}

func TestBurst(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	if got := times(l, 5, login("a")); got != 3 {
		t.Errorf("got %d", got)
	}
	if got := times(l, 5, login("b")); got != 3 {
		t.Errorf("another client: got %d", got)
	}
}

func TestRefill(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	times(l, 3, login("a"))
	for _, tt := range []struct {
		pause time.Duration
		want  int
	}{{29 * time.Second, 0}, {time.Second, 1}, {time.Minute, 2}, {time.Hour, 3}} {
		c.advance(tt.pause)
		if got := times(l, 5, login("a")); got != tt.want {
			t.Errorf("after %v: got %d, want %d", tt.pause, got, tt.want)
		}
	}
}

func TestRetry(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	times(l, 3, login("a"))
	c.advance(10 * time.Second)
	want := Decision{Rule: "login", Retry: 20 * time.Second}
	for i := 0; i < 2; i++ {
		if got := l.Allow(login("a")); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	c.advance(want.Retry)
	if got := l.Allow(login("a")); !got.Allowed {
		t.Errorf("got %+v", got)
	}
}

func TestClockGoesBack(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	times(l, 3, login("a"))
	c.advance(-time.Hour)
	if got := times(l, 2, login("a")); got != 0 {
		t.Errorf("got %d", got)
	}
	c.advance(time.Hour + 30*time.Second)
	if got := times(l, 2, login("a")); got != 1 {
		t.Errorf("got %d", got)
	}
}

func TestFirstRuleThatFits(t *testing.T) {
	rs, c := shop()
	rs = append(rs, rules.Rule{Name: "rest", Path: "/**", Limit: 1, Per: time.Second, Burst: 1})
	l := New(rs, c.now)
	for path, want := range map[string]string{"/login/ana": "login", "/login/ana/x": "rest", "/api": "api", "/": "rest"} {
		if got := l.Allow(Request{"POST", path, "a"}); got.Rule != want {
			t.Errorf("%s: got %s, want %s", path, got.Rule, want)
		}
	}
	if got := l.Allow(Request{"GET", "/login/ana", "b"}); got.Rule != "rest" {
		t.Errorf("got %+v", got)
	}
	if got := New(nil, c.now).Allow(login("a")); got != (Decision{Allowed: true}) {
		t.Errorf("got %+v", got)
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"/", "/", true},
		{"/a/b", "/a/b/", true},
		{"/a/b", "/a", false},
		{"/a", "/a/b", false},
		{"/a/*", "/a/b", true},
		{"/a/*", "/a/b/c", false},
		{"/a/*", "/a", false},
		{"/*/c", "/b/c", true},
		{"/a/**", "/a", true},
		{"/a/**", "/a/b/c", true},
		{"/a/**", "/ab", false},
	}
	for _, tt := range tests {
		if got := match(tt.pattern, tt.path); got != tt.want {
			t.Errorf("%s %s: got %v", tt.pattern, tt.path, got)
		}
	}
}

func TestSweep(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	times(l, 1, login("a"))
	times(l, 3, login("b"))
	c.advance(30 * time.Second)
	if got := l.Sweep(); got != 1 {
		t.Errorf("got %d", got)
	}
	if got := times(l, 3, login("b")); got != 1 {
		t.Errorf("b was forgotten: got %d", got)
	}
	c.advance(time.Hour)
	if got := l.Sweep(); got != 1 || len(l.buckets) != 0 {
		t.Errorf("got %d, %d left", got, len(l.buckets))
	}
}

func TestCounts(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	times(l, 4, login("a"))
	times(l, 1, login("b"))
	times(l, 2, Request{"GET", "/api/x", "a"})
	times(l, 2, Request{"GET", "/else", "a"})
	want := []Count{{"api", 2, 0}, {"login", 4, 1}}
	if got := l.Counts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestManyGoroutines(t *testing.T) {
	rs, c := shop()
	l := New(rs, c.now)
	var wg sync.WaitGroup
	for i := 0; i < 20; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			times(l, 5, Request{"GET", "/api/x", "a"})
		}()
	}
	wg.Wait()
	if got := l.Counts(); !reflect.DeepEqual(got, []Count{{"api", 10, 90}}) {
		t.Errorf("got %v", got)
	}
}
