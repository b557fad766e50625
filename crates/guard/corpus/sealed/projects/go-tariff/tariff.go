// Package tariff prices deliveries.
package tariff

import (
	"errors"
	"fmt"

	"example.org/tariff/internal/money"
)

// Zone is how far a parcel goes.
type Zone string

// Zones.
const (
	Home Zone = "home"
	Near Zone = "near"
	Far  Zone = "far"
)

const (
	heaviest     = 20_000
	fuelPerMille = 65
)

// Errors of parcels that cannot be priced.
var (
	ErrZone   = errors.New("unknown zone")
	ErrWeight = errors.New("bad weight")
)

type band struct {
	upTo   int // grams
	prices map[Zone]money.Cents
}

var bands = []band{
	{1_000, map[Zone]money.Cents{Home: 450, Near: 590, Far: 890}},
	{5_000, map[Zone]money.Cents{Home: 650, Near: 890, Far: 1490}},
	{heaviest, map[Zone]money.Cents{Home: 1150, Near: 1690, Far: 2990}},
}

// Parcel is what is sent.
type Parcel struct {
	Zone    Zone
	Grams   int
	Express bool
}

// Quote is a price and its parts.
type Quote struct {
	Base, Express, Fuel money.Cents
}

// Total is the sum of the parts.
func (q Quote) Total() money.Cents {
	return q.Base + q.Express + q.Fuel
}

// Price says what a parcel costs.
func Price(p Parcel) (Quote, error) {
	if p.Grams <= 0 || p.Grams > heaviest {
		return Quote{}, fmt.Errorf("%w: %d g", ErrWeight, p.Grams)
	}
	for _, b := range bands {
		if p.Grams > b.upTo {
			continue
		}
		base, ok := b.prices[p.Zone]
		if !ok {
			return Quote{}, fmt.Errorf("%w: %q", ErrZone, p.Zone)
		}
		q := Quote{Base: base}
		if p.Express {
			q.Express = base
		}
		q.Fuel = (q.Base + q.Express).PerMille(fuelPerMille)
		return q, nil
	}
	return Quote{}, fmt.Errorf("%w: %d g", ErrWeight, p.Grams)
}
