package tariff

import "time"

const cutOff = 16

var days = map[Zone]int{Home: 1, Near: 2, Far: 4}

// Arrival is the day on which a parcel arrives that was ordered at a time.
func Arrival(p Parcel, ordered time.Time) (time.Time, error) {
	left, ok := days[p.Zone]
	if !ok {
		return time.Time{}, ErrZone
	}
	if p.Express {
		left = 1
	}
	day := time.Date(ordered.Year(), ordered.Month(), ordered.Day(), 0, 0, 0, 0, ordered.Location())
	if ordered.Hour() >= cutOff || weekend(day) {
		day = next(day)
	}
	for ; left > 0; left-- {
		day = next(day)
	}
	return day, nil
}

func next(day time.Time) time.Time {
	day = day.AddDate(0, 0, 1)
	for weekend(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

func weekend(day time.Time) bool {
	return day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
}
