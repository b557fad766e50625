package money

import (
	"runtime"
	"testing"
)

func TestPluralizeOne(t *testing.T) {
	if got := Pluralize(1, "cent"); got != "cent" {
		t.Errorf("got %q, want %q", got, "cent")
	}
}

func TestPluralizeMany(t *testing.T) {
	if got := Pluralize(2, "cent"); got != "cents" {
		t.Errorf("got %q, want %q", got, "cents")
	}
}

func TestMask(t *testing.T) {
	if got := Mask("12345678"); got != "****5678" {
		t.Errorf("got %q, want %q", got, "****5678")
	}
	if got := Mask("123"); got != "123" {
		t.Errorf("got %q, want %q", got, "123")
	}
}

func TestSmallAmounts(t *testing.T) {
	if got := Format(5); got != "0.05" {
		t.Errorf("got %q, want %q", got, "0.05")
	}
}

func TestMaskOnWindows(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("needs the Windows console")
	}
	if got := Mask("98765"); got != "*8765" {
		t.Errorf("got %q, want %q", got, "*8765")
	}
}
