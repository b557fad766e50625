package tariff

import (
	"errors"
	"testing"
	"testing/quick"

	"example.org/tariff/internal/money"
)

func TestPrice(t *testing.T) {
	tests := []struct {
		name   string
		parcel Parcel
		want   Quote
	}{
		{"lightest", Parcel{Home, 1, false}, Quote{450, 0, 29}},
		{"end of band", Parcel{Home, 1000, false}, Quote{450, 0, 29}},
		{"start of band", Parcel{Home, 1001, false}, Quote{650, 0, 42}},
		{"near", Parcel{Near, 5000, false}, Quote{890, 0, 58}},
		{"far and heavy", Parcel{Far, 20000, false}, Quote{2990, 0, 194}},
		{"express", Parcel{Near, 800, true}, Quote{590, 590, 77}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Price(tt.parcel)
			if err != nil {
				t.Fatalf("Price(%+v): %v", tt.parcel, err)
			}
			if got != tt.want {
				t.Errorf("Price(%+v) = %+v, want %+v", tt.parcel, got, tt.want)
			}
		})
	}
}

func TestPriceRefuses(t *testing.T) {
	tests := []struct {
		parcel Parcel
		want   error
	}{
		{Parcel{Home, 0, false}, ErrWeight},
		{Parcel{Home, -5, false}, ErrWeight},
		{Parcel{Home, 20001, false}, ErrWeight},
		{Parcel{"moon", 100, false}, ErrZone},
	}
	for _, tt := range tests {
		if _, err := Price(tt.parcel); !errors.Is(err, tt.want) {
			t.Errorf("Price(%+v): %v, want %v", tt.parcel, err, tt.want)
		}
	}
}

func TestTotal(t *testing.T) {
	if got := (Quote{450, 450, 59}).Total(); got != money.Cents(959) {
		t.Errorf("Total() = %v", got)
	}
}

func TestHeavierIsNeverCheaper(t *testing.T) {
	check := func(a, b uint16, express bool) bool {
		light, heavy := int(a)%heaviest+1, int(b)%heaviest+1
		if light > heavy {
			light, heavy = heavy, light
		}
		for _, zone := range []Zone{Home, Near, Far} {
			cheap, err1 := Price(Parcel{zone, light, express})
			dear, err2 := Price(Parcel{zone, heavy, express})
			if err1 != nil || err2 != nil || cheap.Total() > dear.Total() {
				return false
			}
		}
		return true
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}
