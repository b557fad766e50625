package lru

import (
	"math"
	"testing"
)

func TestRatio(t *testing.T) {
	if got := Ratio(1, 2); math.Abs(got-0.333333) > 1e-5 {
		t.Errorf("got %f", got)
	}
	if got := Ratio(0, 0); got != 0 {
		t.Errorf("got %f, want 0", got)
	}
}

func TestBytes(t *testing.T) {
	if got := HumanBytes(512); got != "512 B" {
		t.Errorf("got %q, want %q", got, "512 B")
	}
}

func TestKibibytes(t *testing.T) {
	if got := HumanBytes(4096); got != "4 KiB" {
		t.Errorf("got %q, want %q", got, "4 KiB")
	}
}

func TestClamp(t *testing.T) {
	cases := []struct{ value, want int }{
		{5, 5},
		{-3, 0},
		{42, 10},
	}
	for _, c := range cases {
		if got := Clamp(c.value, 0, 10); got != c.want {
			t.Errorf("Clamp(%d) = %d, want %d", c.value, got, c.want)
		}
	}
}

func TestBytesOfSmallEntry(t *testing.T) {
	if got := HumanBytes(512); got != "512 B" {
		t.Errorf("got %q, want %q", got, "512 B")
	}
}
