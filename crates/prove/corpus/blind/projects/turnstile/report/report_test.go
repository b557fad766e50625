package report

import (
	"errors"
	"os"
	"strings"
	"testing"

	"example.org/turnstile/limit"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWrite(t *testing.T) {
	var b strings.Builder
	err := Write(&b, []limit.Count{{Rule: "api", Allowed: 1990, Refused: 10}, {Rule: "checkout", Allowed: 1, Refused: 2}, {Rule: "login"}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.golden", b.String())
}

func TestWriteNothing(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, nil); err != nil || !strings.HasSuffix(b.String(), "\nall         0        -\n") {
		t.Errorf("got %v, %q", err, b.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFails(t *testing.T) {
	if err := Write(broken{}, nil); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}
