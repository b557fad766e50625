package money

import (
	"errors"
	"reflect"
	"testing"
)

func TestParseWhole(t *testing.T) {
	got, err := Parse("12")
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if got != 1200 {
		t.Errorf("got %d, want %d", got, 1200)
	}
}

func TestParseTable(t *testing.T) {
	tests := []struct {
		name string
		text string
		want int64
	}{
		{"cents", "12.34", 1234},
		{"short fraction", "0.5", 50},
		{"spaces", " 7.01 ", 701},
		{"zero", "0", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.text)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.text, err)
			}
			if got != tt.want {
				t.Errorf("Parse(%q) = %d, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestParseEmpty(t *testing.T) {
	if _, err := Parse("  "); !errors.Is(err, ErrEmpty) {
		t.Errorf("got %v, want ErrEmpty", err)
	}
}

func TestParseRejects(t *testing.T) {
	for _, text := range []string{"1.234", "abc", "9999999999999"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) succeeded", text)
		}
	}
}

func TestFormatCents(t *testing.T) {
	if got := Format(5); got != "0.05" {
		t.Errorf("got %q, want %q", got, "0.05")
	}
}

func TestFormatLarge(t *testing.T) {
	if got := Format(123456); got != "1234.56" {
		t.Errorf("got %q, want %q", got, "1234.56")
	}
}

func TestFormatNegative(t *testing.T) {
	if got := Format(-250); got != "-2.50" {
		t.Errorf("got %q, want %q", got, "-2.50")
	}
}

func TestSplitIsExact(t *testing.T) {
	got, err := Split(100, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{34, 33, 33}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSplitIntoNothing(t *testing.T) {
	if _, err := Split(100, 0); err == nil {
		t.Error("split into nothing")
	}
}

func TestPercent(t *testing.T) {
	if got := Percent(999, 10); got != 100 {
		t.Errorf("got %d, want %d", got, 100)
	}
	if got := Percent(1000, 3); got != 30 {
		t.Errorf("got %d, want %d", got, 30)
	}
}
