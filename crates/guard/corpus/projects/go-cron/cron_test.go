package cron

import (
	"errors"
	"testing"
	"time"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func mustParse(t *testing.T, text string) *Line {
	t.Helper()
	line, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestNext(t *testing.T) {
	for name, tc := range map[string]struct{ line, after, want string }{
		"every minute":  {"* * * * *", "2024-05-01 10:00", "2024-05-01 10:01"},
		"quarter hours": {"*/15 * * * *", "2024-05-01 10:07", "2024-05-01 10:15"},
		"at night":      {"30 3 * * *", "2024-05-01 10:00", "2024-05-02 03:30"},
		"on mondays":    {"0 9 * * 1", "2024-05-01 10:00", "2024-05-06 09:00"},
		"leap day":      {"0 0 29 2 *", "2024-03-01 00:00", "2028-02-29 00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mustParse(t, tc.line).Next(at(t, tc.after))
			if err != nil {
				t.Fatal(err)
			}
			if want := at(t, tc.want); !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestNever(t *testing.T) {
	_, err := mustParse(t, "0 0 31 2 *").Next(at(t, "2024-01-01 00:00"))
	if !errors.Is(err, ErrNever) {
		t.Errorf("got %v, want %v", err, ErrNever)
	}
}

func TestMatches(t *testing.T) {
	line := mustParse(t, "0 12 * * *")
	if !line.Matches(at(t, "2024-05-01 12:00")) {
		t.Error("noon does not match")
	}
	if line.Matches(at(t, "2024-05-01 12:01")) {
		t.Error("a minute past noon matches")
	}
}

func TestParseNeedsFiveFields(t *testing.T) {
	_, err := Parse("* * *")
	if err == nil {
		t.Fatal("three fields were accepted")
	}
	if got := err.Error(); got != "want 5 fields, got 3" {
		t.Errorf("got %q", got)
	}
}

func TestParseRejects(t *testing.T) {
	for _, text := range []string{"60 * * * *", "* 24 * * *", "* * 0 * *", "x * * * *"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
