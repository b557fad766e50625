package limit

import (
	"time"

	"example.org/turnstile/rules"
)

// bucket is credit in time: a request costs rule.Per, and every nanosecond earns
// rule.Limit of them. Whole numbers, so nothing is lost by rounding.
type bucket struct {
	credit time.Duration
	last   time.Time
}

func most(rule rules.Rule) time.Duration {
	return time.Duration(rule.Burst) * rule.Per
}

func newBucket(rule rules.Rule, now time.Time) *bucket {
	return &bucket{credit: most(rule), last: now}
}

// until is how long it takes to earn what is missing, rounded up.
func until(rule rules.Rule, missing time.Duration) time.Duration {
	limit := time.Duration(rule.Limit)
	return (missing + limit - 1) / limit
}

func (b *bucket) refill(rule rules.Rule, now time.Time) {
	if !now.After(b.last) {
		return
	}
	gone := now.Sub(b.last)
	b.last = now
	if gone >= until(rule, most(rule)-b.credit) {
		b.credit = most(rule)
		return
	}
	b.credit += gone * time.Duration(rule.Limit)
}

// take gives how long to wait when there is not enough credit.
func (b *bucket) take(rule rules.Rule, now time.Time) (bool, time.Duration) {
	b.refill(rule, now)
	if b.credit >= rule.Per {
		b.credit -= rule.Per
		return true, 0
	}
	return false, until(rule, rule.Per-b.credit)
}

func (b *bucket) full(rule rules.Rule) bool {
	return b.credit >= most(rule)
}
