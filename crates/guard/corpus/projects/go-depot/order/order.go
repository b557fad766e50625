// Package order turns wishes into shipments.
package order

import (
	"errors"
	"fmt"
	"log"
	"math"

	"example.org/depot/stock"
)

// Line is an article and how many are wanted.
type Line struct {
	Code  string
	Count int
	Cents int
}

// Shipper moves goods out of the house.
type Shipper interface {
	Pickup(reference string, kilos float64) (string, error)
}

// Features can be switched off by operators.
var Features = struct{ PartialOrders, Insurance bool }{PartialOrders: true, Insurance: true}

// Total is what the lines cost, in cents, with the discount for large orders.
func Total(lines []Line) (int, error) {
	sum := 0
	for _, line := range lines {
		if line.Count < 1 || line.Cents < 0 {
			return 0, fmt.Errorf("bad line for %s", line.Code)
		}
		sum += line.Count * line.Cents
	}
	if sum >= 100000 {
		sum -= sum / 20
	}
	return sum, nil
}

// Weight guesses the weight in kilos from the number of pieces.
func Weight(lines []Line) float64 {
	pieces := 0
	for _, line := range lines {
		pieces += line.Count
	}
	return math.Round(float64(pieces)*37+20) / 100
}

// Place reserves every line; what is short is returned when partial orders are on, and an error otherwise.
func Place(depot *stock.Depot, lines []Line) ([]Line, error) {
	if len(lines) == 0 {
		return nil, errors.New("empty order")
	}
	var open []Line
	for _, line := range lines {
		err := depot.Reserve(line.Code, line.Count)
		if errors.Is(err, stock.ErrShort) && Features.PartialOrders {
			open = append(open, line)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("place: %w", err)
		}
	}
	return open, nil
}

// Send ships every line and asks the shipper to come.
func Send(depot *stock.Depot, shipper Shipper, reference string, lines []Line) (string, error) {
	for _, line := range lines {
		if err := depot.Ship(line.Code, line.Count); err != nil {
			return "", fmt.Errorf("send %s: %w", reference, err)
		}
	}
	label, err := shipper.Pickup(reference, Weight(lines))
	if err != nil {
		log.Printf("pickup of %s: %v", reference, err)
		return "", fmt.Errorf("nobody picks up %s: %w", reference, err)
	}
	return label, nil
}
