package subtitle

import (
	"errors"
	"testing"
	"time"
)

func TestParseTimecode(t *testing.T) {
	tests := map[string]time.Duration{
		"00:00:00,000":   0,
		"00:00:01,250":   1250 * time.Millisecond,
		"01:02:03,004":   time.Hour + 2*time.Minute + 3*time.Second + 4*time.Millisecond,
		" 10:00:00,000 ": 10 * time.Hour,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := ParseTimecode(text)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("ParseTimecode(%q) = %v, want %v", text, got, want)
			}
		})
	}
}

func TestParseTimecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "00:00:01", "00:01,000", "00:61:00,000", "00:00:0x,000", "00:00:00,1"} {
		if _, err := ParseTimecode(text); !errors.Is(err, ErrTimecode) {
			t.Errorf("ParseTimecode(%q): %v, want %v", text, err, ErrTimecode)
		}
	}
}

func TestFormatTimecode(t *testing.T) {
	cases := []struct {
		name string
		at   time.Duration
		want string
	}{
		{"zero", 0, "00:00:00,000"},
		{"minutes", 61 * time.Second, "00:01:01,000"},
		{"a long film", 3*time.Hour + 7*time.Millisecond, "03:00:00,007"},
		{"before the film", -time.Second, "00:00:00,000"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := FormatTimecode(tc.at); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTimecodeRoundTrip(t *testing.T) {
	for at := time.Duration(0); at < 2*time.Hour; at += 777 * time.Millisecond {
		got, err := ParseTimecode(FormatTimecode(at))
		if err != nil || got != at {
			t.Fatalf("%v became %v (%v)", at, got, err)
		}
	}
}

func FuzzParseTimecode(f *testing.F) {
	f.Add("00:00:01,250")
	f.Add("99:59:59,999")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseTimecode(text)
		if err == nil && at < 0 {
			t.Errorf("%q is before the film: %v", text, at)
		}
	})
}
