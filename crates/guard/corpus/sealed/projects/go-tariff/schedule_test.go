package tariff

import (
	"errors"
	"testing"
	"time"
)

func TestArrival(t *testing.T) {
	tests := []struct {
		name    string
		parcel  Parcel
		ordered string
		want    string
	}{
		{"home", Parcel{Zone: Home}, "2024-05-06 10:00", "2024-05-07"},
		{"just in time", Parcel{Zone: Home}, "2024-05-06 15:59", "2024-05-07"},
		{"too late", Parcel{Zone: Home}, "2024-05-06 16:00", "2024-05-08"},
		{"over the weekend", Parcel{Zone: Near}, "2024-05-09 09:00", "2024-05-13"},
		{"ordered on a Saturday", Parcel{Zone: Home}, "2024-05-04 09:00", "2024-05-07"},
		{"far", Parcel{Zone: Far}, "2024-05-06 09:00", "2024-05-10"},
		{"far express", Parcel{Zone: Far, Express: true}, "2024-05-06 09:00", "2024-05-07"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Arrival(tt.parcel, at(t, tt.ordered))
			if err != nil {
				t.Fatal(err)
			}
			if day := got.Format("2006-01-02"); day != tt.want {
				t.Errorf("Arrival() = %s, want %s", day, tt.want)
			}
			if wd := got.Weekday(); wd == time.Saturday || wd == time.Sunday {
				t.Errorf("arrives on a %s", wd)
			}
		})
	}
}

func TestArrivalUnknownZone(t *testing.T) {
	if _, err := Arrival(Parcel{Zone: "moon"}, at(t, "2024-05-06 10:00")); !errors.Is(err, ErrZone) {
		t.Errorf("err = %v", err)
	}
}
