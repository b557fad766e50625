package tariff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/tariff/internal/money"
)

// LineError is a line of an order that cannot be priced.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap gives the reason.
func (e *LineError) Unwrap() error { return e.Err }

// Bill prices an order such as "near 1200 express", one parcel a line.
func Bill(order io.Reader, out io.Writer) ([]*LineError, error) {
	var bad []*LineError
	var sum money.Cents
	scanner := bufio.NewScanner(order)
	for number := 1; scanner.Scan(); number++ {
		text := strings.TrimSpace(scanner.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		parcel, err := parseParcel(text)
		var quote Quote
		if err == nil {
			quote, err = Price(parcel)
		}
		if err != nil {
			bad = append(bad, &LineError{number, err})
			continue
		}
		sum += quote.Total()
		if _, err := fmt.Fprintf(out, "%-24s %8s\n", text, quote.Total()); err != nil {
			return bad, err
		}
	}
	if err := scanner.Err(); err != nil {
		return bad, err
	}
	_, err := fmt.Fprintf(out, "%-24s %8s\n", "total", sum)
	return bad, err
}

func parseParcel(text string) (Parcel, error) {
	fields := strings.Fields(text)
	if len(fields) < 2 || len(fields) > 3 {
		return Parcel{}, fmt.Errorf("want ZONE GRAMS [express], have %q", text)
	}
	grams, err := strconv.Atoi(fields[1])
	if err != nil {
		return Parcel{}, fmt.Errorf("%w: %q", ErrWeight, fields[1])
	}
	if len(fields) == 3 && fields[2] != "express" {
		return Parcel{}, fmt.Errorf("unknown service %q", fields[2])
	}
	return Parcel{Zone(fields[0]), grams, len(fields) == 3}, nil
}
