// Package cron finds the next time of a cron line.
package cron

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/cron/field"
)

// ErrNever is returned when no time within four years matches.
var ErrNever = errors.New("never due")

// Line is a parsed cron line.
type Line struct {
	minute, hour, day, month, weekday field.Set
}

// Parse reads five fields.
func Parse(text string) (*Line, error) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return nil, fmt.Errorf("want 5 fields, got %d", len(fields))
	}
	bounds := [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	var sets [5]field.Set
	for i, text := range fields {
		set, err := field.Parse(text, bounds[i][0], bounds[i][1])
		if err != nil {
			return nil, err
		}
		sets[i] = set
	}
	return &Line{sets[0], sets[1], sets[2], sets[3], sets[4]}, nil
}

// Matches says whether a minute is due.
func (l *Line) Matches(at time.Time) bool {
	return l.minute.Has(at.Minute()) && l.hour.Has(at.Hour()) && l.day.Has(at.Day()) &&
		l.month.Has(int(at.Month())) && l.weekday.Has(int(at.Weekday()))
}

// Next finds the first due minute after a time.
func (l *Line) Next(after time.Time) (time.Time, error) {
	at := after.Truncate(time.Minute).Add(time.Minute)
	end := after.AddDate(4, 0, 1)
	for at.Before(end) {
		if l.Matches(at) {
			return at, nil
		}
		if !l.hour.Has(at.Hour()) {
			at = at.Truncate(time.Hour).Add(time.Hour)
			continue
		}
		at = at.Add(time.Minute)
	}
	return time.Time{}, ErrNever
}
