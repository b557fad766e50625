// Package limit decides which requests go through.
package limit

import (
	"sort"
	"sync"
	"time"

	"example.org/turnstile/rules"
)

// Request is what a rule looks at.
type Request struct {
	Method, Path, Client string
}

// Decision tells what became of a request, by which rule, and when to come again.
type Decision struct {
	Allowed bool
	Rule    string
	Retry   time.Duration
}

// Count is how often a rule said yes and no.
type Count struct {
	Rule             string
	Allowed, Refused int
}

type key struct{ rule, client string }

// Limiter is safe for use by many goroutines.
type Limiter struct {
	mu      sync.Mutex
	rules   []rules.Rule
	now     func() time.Time
	buckets map[key]*bucket
	counts  map[string]*Count
}

// New makes a Limiter with a clock.
func New(rs []rules.Rule, now func() time.Time) *Limiter {
	return &Limiter{rules: rs, now: now, buckets: map[key]*bucket{}, counts: map[string]*Count{}}
}

// Allow asks the first rule that fits.
func (l *Limiter) Allow(r Request) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, rule := range l.rules {
		if !fits(rule, r) {
			continue
		}
		id, now := key{rule.Name, r.Client}, l.now()
		b := l.buckets[id]
		if b == nil {
			b = newBucket(rule, now)
			l.buckets[id] = b
		}
		count := l.counts[rule.Name]
		if count == nil {
			count = &Count{Rule: rule.Name}
			l.counts[rule.Name] = count
		}
		ok, retry := b.take(rule, now)
		if ok {
			count.Allowed++
		} else {
			count.Refused++
		}
		return Decision{Allowed: ok, Rule: rule.Name, Retry: retry}
	}
	return Decision{Allowed: true}
}

// Sweep forgets the clients whose buckets are full again, and tells how many.
func (l *Limiter) Sweep() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	swept := 0
	for _, rule := range l.rules {
		for id, b := range l.buckets {
			if id.rule != rule.Name {
				continue
			}
			b.refill(rule, l.now())
			if b.full(rule) {
				delete(l.buckets, id)
				swept++
			}
		}
	}
	return swept
}

// Counts are sorted by the name of the rule.
func (l *Limiter) Counts() []Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Count, 0, len(l.counts))
	for _, count := range l.counts {
		out = append(out, *count)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Rule < out[j].Rule })
	return out
}
