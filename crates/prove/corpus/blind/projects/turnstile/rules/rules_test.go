package rules

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

const good = `# limits of the shop
[login]
path = /login/*   # any user
rate = 5/m
burst = 10
methods = post, PUT

[ api ]
path = /api/**
rate = 100 / 90s
`

func TestParse(t *testing.T) {
	got, err := Parse(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	want := []Rule{
		{Name: "login", Path: "/login/*", Limit: 5, Per: time.Minute, Burst: 10, Methods: []string{"POST", "PUT"}},
		{Name: "api", Path: "/api/**", Limit: 100, Per: 90 * time.Second, Burst: 100},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		line       int
		msg        string
	}{
		{"no section", "\npath = /", 2, "outside of a rule"},
		{"no name", "[ ]", 1, "a rule needs a name"},
		{"twice", "[a]\npath = /\nrate = 1/s\n[a]", 4, "rule a is there twice"},
		{"no path", "\n[a]\nrate = 1/s\n", 2, "rule a needs path and rate"},
		{"no rate", "[a]\npath = /\n[b]\npath = /\nrate = 1/s", 1, "rule a needs path and rate"},
		{"bad path", "[a]\npath = login", 2, "path \"login\" must begin with /"},
		{"bad burst", "[a]\nburst = 0", 2, "burst \"0\" must be"},
		{"bad key", "[a]\ncolour = red", 2, "unknown key \"colour\""},
		{"no value", "[a]\npath =", 2, "cannot read \"path =\""},
		{"bad rate", "[a]\nrate = 5", 2, "rate \"5\" needs a /"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(tt.text))
			var wrong *ParseError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v", err)
			}
			if wrong.Line != tt.line || !strings.HasPrefix(wrong.Msg, tt.msg) {
				t.Errorf("got %v, want line %d: %s", err, tt.line, tt.msg)
			}
		})
	}
}

func TestParseNothing(t *testing.T) {
	if _, err := Parse(strings.NewReader("# nothing\n")); !errors.Is(err, ErrNoRules) {
		t.Errorf("got %v", err)
	}
	if _, err := Parse(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestParseRate(t *testing.T) {
	good := map[string]time.Duration{
		"7/s":     time.Second,
		"7/h":     time.Hour,
		"7/d":     24 * time.Hour,
		"7/1m30s": 90 * time.Second,
	}
	for text, want := range good {
		if limit, per, err := ParseRate(text); err != nil || limit != 7 || per != want {
			t.Errorf("%s: got %d, %v, %v", text, limit, per, err)
		}
	}
	for _, text := range []string{"", "7", "0/s", "-1/s", "x/s", "7/", "7/week", "7/0s", "7/-1s"} {
		if _, _, err := ParseRate(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
