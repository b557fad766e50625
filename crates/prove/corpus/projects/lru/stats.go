package lru

import "fmt"

// Stats counts what happened.
type Stats struct {
	Hits, Misses, Evicted, Expired int
}

// Ratio is the share of hits, 0 without any access.
func (s Stats) Ratio() float64 {
	all := s.Hits + s.Misses
	if all == 0 {
		return 0
	}
	return float64(s.Hits) / float64(all)
}

// Add returns the sum.
func (s Stats) Add(o Stats) Stats {
	return Stats{s.Hits + o.Hits, s.Misses + o.Misses, s.Evicted + o.Evicted, s.Expired + o.Expired}
}

func (s Stats) String() string {
	return fmt.Sprintf("%d hits, %d misses (%.1f %%), %d evicted, %d expired", s.Hits, s.Misses, 100*s.Ratio(), s.Evicted, s.Expired)
}
