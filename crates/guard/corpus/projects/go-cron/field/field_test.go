package field

import "testing"

func TestParse(t *testing.T) {
	tests := []struct {
		text  string
		count int
		has   int
	}{
		{"*", 60, 59},
		{"5", 1, 5},
		{"1-5", 5, 3},
		{"*/15", 4, 45},
		{"1,7,9", 3, 7},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			set, err := Parse(tt.text, 0, 59)
			if err != nil {
				t.Fatalf("Parse: %v", err)
			}
			if set.Count() != tt.count {
				t.Errorf("got %d, want %d", set.Count(), tt.count)
			}
			if !set.Has(tt.has) {
				t.Errorf("%d is missing", tt.has)
			}
		})
	}
}

func TestParseRejects(t *testing.T) {
	for _, text := range []string{"", "60", "5-1", "*/0", "a", "1-b"} {
		if _, err := Parse(text, 0, 59); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestOrdinalFirst(t *testing.T) {
	if got := Ordinal(1); got != "1st" {
		t.Errorf("got %q, want %q", got, "1st")
	}
}

func TestOrdinalSecond(t *testing.T) {
	if got := Ordinal(22); got != "22nd" {
		t.Errorf("got %q, want %q", got, "22nd")
	}
}

func TestOrdinalTeens(t *testing.T) {
	if got := Ordinal(13); got != "13th" {
		t.Errorf("got %q, want %q", got, "13th")
	}
}
