package money

import (
	"errors"
	"testing"
	"testing/quick"
)

func TestString(t *testing.T) {
	for cents, want := range map[Cents]string{0: "0.00", 5: "0.05", 1230: "12.30", -99: "-0.99"} {
		if got := cents.String(); got != want {
			t.Errorf("%d.String() = %q, want %q", int64(cents), got, want)
		}
	}
}

func TestPerMille(t *testing.T) {
	tests := []struct {
		cents Cents
		n     int64
		want  Cents
	}{
		{1000, 65, 65},
		{100, 65, 7},
		{90, 65, 6},
		{0, 65, 0},
	}
	for _, tt := range tests {
		if got := tt.cents.PerMille(tt.n); got != tt.want {
			t.Errorf("%s.PerMille(%d) = %s, want %s", tt.cents, tt.n, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "1.5", "1.555", "-1.00", "x", "1.x0", "99999999999999999999"} {
		if _, err := Parse(bad); !errors.Is(err, ErrFormat) {
			t.Errorf("Parse(%q): %v", bad, err)
		}
	}
	if got, err := Parse("12"); err != nil || got != 1200 {
		t.Errorf("Parse(12) = %v, %v", got, err)
	}
}

func TestParseReadsWhatStringWrites(t *testing.T) {
	roundTrip := func(value uint32) bool {
		got, err := Parse(Cents(value).String())
		return err == nil && got == Cents(value)
	}
	if err := quick.Check(roundTrip, &quick.Config{MaxCount: 1000}); err != nil {
		t.Error(err)
	}
}
