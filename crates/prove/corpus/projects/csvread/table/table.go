// Package table computes with the columns of records.
package table

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// ErrNoColumn is returned for columns that are not there.
var ErrNoColumn = errors.New("table: no such column")

// Table is records with a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// New takes the header from the first record.
func New(records [][]string) (*Table, error) {
	if len(records) == 0 {
		return nil, errors.New("table: no header")
	}
	seen := map[string]bool{}
	for _, name := range records[0] {
		if seen[name] {
			return nil, fmt.Errorf("table: column %q is there twice", name)
		}
		seen[name] = true
	}
	return &Table{records[0], records[1:]}, nil
}

func (t *Table) index(name string) (int, error) {
	for i, other := range t.Header {
		if other == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: %s", ErrNoColumn, name)
}

// Column returns the values of a column.
func (t *Table) Column(name string) ([]string, error) {
	i, err := t.index(name)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(t.Rows))
	for at, row := range t.Rows {
		values[at] = row[i]
	}
	return values, nil
}

// Numbers returns a column as numbers; empty cells are NaN.
func (t *Table) Numbers(name string) ([]float64, error) {
	values, err := t.Column(name)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(values))
	for at, value := range values {
		if value == "" {
			numbers[at] = math.NaN()
			continue
		}
		number, err := strconv.ParseFloat(strings.ReplaceAll(value, " ", ""), 64)
		if err != nil {
			return nil, fmt.Errorf("table: row %d, column %s: %q is not a number", at+1, name, value)
		}
		numbers[at] = number
	}
	return numbers, nil
}

// Summary describes a column of numbers.
type Summary struct {
	Count                  int
	Sum, Mean, Median, Dev float64
	Min, Max               float64
}

// Summarize leaves empty cells out.
func (t *Table) Summarize(name string) (Summary, error) {
	all, err := t.Numbers(name)
	if err != nil {
		return Summary{}, err
	}
	numbers := all[:0]
	for _, number := range all {
		if !math.IsNaN(number) {
			numbers = append(numbers, number)
		}
	}
	s := Summary{Count: len(numbers)}
	if s.Count == 0 {
		return s, nil
	}
	sort.Float64s(numbers)
	s.Min, s.Max = numbers[0], numbers[s.Count-1]
	for _, number := range numbers {
		s.Sum += number
	}
	s.Mean = s.Sum / float64(s.Count)
	s.Median = numbers[s.Count/2]
	if s.Count%2 == 0 {
		s.Median = (s.Median + numbers[s.Count/2-1]) / 2
	}
	squares := 0.0
	for _, number := range numbers {
		squares += (number - s.Mean) * (number - s.Mean)
	}
	if s.Count > 1 {
		s.Dev = math.Sqrt(squares / float64(s.Count-1))
	}
	return s, nil
}

// Filter keeps the rows that a function likes.
func (t *Table) Filter(name string, keep func(value string) bool) (*Table, error) {
	i, err := t.index(name)
	if err != nil {
		return nil, err
	}
	result := &Table{Header: t.Header}
	for _, row := range t.Rows {
		if keep(row[i]) {
			result.Rows = append(result.Rows, row)
		}
	}
	return result, nil
}

// Sort orders the rows by a column, as numbers where all are numbers; equal rows stay in order.
func (t *Table) Sort(name string, descending bool) error {
	i, err := t.index(name)
	if err != nil {
		return err
	}
	less := func(a, b []string) bool { return a[i] < b[i] }
	if _, err := t.Numbers(name); err == nil {
		value := func(row []string) float64 {
			number, err := strconv.ParseFloat(strings.ReplaceAll(row[i], " ", ""), 64)
			if err != nil {
				return math.Inf(-1)
			}
			return number
		}
		less = func(a, b []string) bool { return value(a) < value(b) }
	}
	sort.SliceStable(t.Rows, func(a, b int) bool {
		if descending {
			return less(t.Rows[b], t.Rows[a])
		}
		return less(t.Rows[a], t.Rows[b])
	})
	return nil
}

// Group sums a column of numbers per value of another; the result is sorted by that value.
func (t *Table) Group(by, name string) (*Table, error) {
	keys, err := t.Column(by)
	if err != nil {
		return nil, err
	}
	numbers, err := t.Numbers(name)
	if err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	for at, key := range keys {
		if math.IsNaN(numbers[at]) {
			numbers[at] = 0
		}
		sums[key] += numbers[at]
	}
	result := &Table{Header: []string{by, name}}
	for key, sum := range sums {
		result.Rows = append(result.Rows, []string{key, strconv.FormatFloat(sum, 'f', -1, 64)})
	}
	sort.Slice(result.Rows, func(a, b int) bool { return result.Rows[a][0] < result.Rows[b][0] })
	return result, nil
}
