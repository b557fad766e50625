package routes

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

const town = `
# a small town
mill -> market 4
mill -> bridge 1
bridge -> market 2
market -> church 5
bridge -> church 8
church -> farm 1
well -> farm 9
`

func load(t *testing.T, text string) *Graph {
	t.Helper()
	g, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestShortest(t *testing.T) {
	g := load(t, town)
	tests := []struct {
		from, to string
		stops    string
		cost     int
	}{
		{"mill", "mill", "mill", 0},
		{"mill", "bridge", "mill bridge", 1},
		{"mill", "market", "mill bridge market", 3},
		{"mill", "church", "mill bridge market church", 8},
		{"mill", "farm", "mill bridge market church farm", 9},
		{"well", "farm", "well farm", 9},
	}
	for _, tt := range tests {
		t.Run(tt.from+"-"+tt.to, func(t *testing.T) {
			path, err := g.Shortest(tt.from, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(path.Stops, " "); got != tt.stops {
				t.Errorf("stops %q, want %q", got, tt.stops)
			}
			if path.Cost != tt.cost {
				t.Errorf("cost %d, want %d", path.Cost, tt.cost)
			}
		})
	}
}

func TestShortestFails(t *testing.T) {
	g := load(t, town)
	if _, err := g.Shortest("farm", "mill"); !errors.Is(err, ErrNoWay) {
		t.Errorf("got %v", err)
	}
	if _, err := g.Shortest("mill", "moon"); err == nil || errors.Is(err, ErrNoWay) {
		t.Errorf("got %v", err)
	}
}

func TestReachable(t *testing.T) {
	g := load(t, town)
	want := map[int][]string{
		0: nil,
		1: {"bridge", "market"},
		2: {"bridge", "church", "market"},
		3: {"bridge", "church", "farm", "market"},
		9: {"bridge", "church", "farm", "market"},
	}
	for hops, names := range want {
		if got := g.Reachable("mill", hops); !reflect.DeepEqual(got, names) {
			t.Errorf("%d hops: got %v, want %v", hops, got, names)
		}
	}
}

func TestAddKeepsTheCheaper(t *testing.T) {
	g := load(t, "a -> b 5\na -> b 3\na -> b 4")
	path, err := g.Shortest("a", "b")
	if err != nil || path.Cost != 3 {
		t.Errorf("got %v, %v", path, err)
	}
}

func TestOrder(t *testing.T) {
	g := load(t, town)
	got, err := g.Order()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"mill", "bridge", "market", "church", "well", "farm"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOrderCircle(t *testing.T) {
	g := load(t, "a -> b 1\nb -> c 1\nc -> b 1")
	_, err := g.Order()
	var circle *CycleError
	if !errors.As(err, &circle) {
		t.Fatalf("got %v", err)
	}
	if got := circle.Error(); got != "circle: b, c" {
		t.Errorf("got %q", got)
	}
}

func TestParseErrors(t *testing.T) {
	tests := map[string]string{
		"a b 3":               "line 1: cannot read",
		"a -> b 1\na -> b x":  "line 2: cannot read",
		"\n\na -> b -1":       "line 3: cost of a-b is negative",
		"a -> a 1":            "line 1: a leads to itself",
		"a <- b 1 # backward": "line 1: cannot read",
	}
	for text, want := range tests {
		_, err := Parse(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestCache(t *testing.T) {
	now := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	g := load(t, town)
	cache := NewCache(g, time.Minute, func() time.Time { return now })
	ask := func(cost, hits int) {
		t.Helper()
		path, err := cache.Shortest("mill", "market")
		if err != nil || path.Cost != cost || cache.Hits != hits {
			t.Errorf("got %v, %v, %d hits", path, err, cache.Hits)
		}
	}
	ask(3, 0)
	if err := g.Add("mill", "market", 2); err != nil {
		t.Fatal(err)
	}
	ask(3, 1)
	now = now.Add(59 * time.Second)
	ask(3, 2)
	now = now.Add(time.Second)
	ask(2, 2)
}

func TestCacheForgetsErrors(t *testing.T) {
	g := load(t, "a -> b 1\nc -> d 1")
	cache := NewCache(g, time.Hour, nil)
	if _, err := cache.Shortest("a", "d"); !errors.Is(err, ErrNoWay) {
		t.Fatalf("got %v", err)
	}
	if err := g.Add("b", "c", 1); err != nil {
		t.Fatal(err)
	}
	if path, err := cache.Shortest("a", "d"); err != nil || path.Cost != 3 {
		t.Errorf("got %v, %v", path, err)
	}
}
