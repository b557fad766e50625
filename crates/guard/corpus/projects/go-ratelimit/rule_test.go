package ratelimit

import (
	"fmt"
	"math"
	"testing"
	"testing/quick"
	"time"
)

func TestParseRule(t *testing.T) {
	cases := []struct {
		name string
		text string
		want Rule
	}{
		{"seconds", "10/s", Rule{10, time.Second}},
		{"minutes", "5/m", Rule{5, time.Minute}},
		{"hours", "100/h", Rule{100, time.Hour}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseRule(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestBadRules(t *testing.T) {
	for _, text := range []string{"", "10", "x/s", "10/y"} {
		if _, err := ParseRule(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestUnknownUnit(t *testing.T) {
	_, err := UnitDuration("y")
	if err == nil || err.Error() != `unknown unit "y"` {
		t.Errorf("got %v", err)
	}
}

func TestFormatWait(t *testing.T) {
	if got := FormatWait(5); got != "5s" {
		t.Errorf("got %q, want %q", got, "5s")
	}
	if got := FormatWait(61); got != "1m01s" {
		t.Errorf("got %q, want %q", got, "1m01s")
	}
}

func TestFormatLongWait(t *testing.T) {
	if got := FormatWait(600); got != "10m00s" {
		t.Errorf("got %q, want %q", got, "10m00s")
	}
}

func TestFormatTenMinutes(t *testing.T) {
	if got := FormatWait(600); got != "10m00s" {
		t.Errorf("got %q, want %q", got, "10m00s")
	}
}

func TestPerSecond(t *testing.T) {
	if got := PerSecond(1, 3); math.Abs(got-0.333333) > 1e-5 {
		t.Errorf("got %f", got)
	}
	if got := PerSecond(4, 0); got != 0 {
		t.Errorf("got %f, want 0", got)
	}
}

func TestAnyCountIsRead(t *testing.T) {
	check := func(count int16) bool {
		rule, err := ParseRule(fmt.Sprintf("%d/s", count))
		return err == nil && rule.Count == int(count)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 400}); err != nil {
		t.Error(err)
	}
}

func ExampleFormatWait() {
	fmt.Println(FormatWait(90))
	// Output: 1m30s
}
