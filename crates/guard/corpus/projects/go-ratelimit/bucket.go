// Package ratelimit says who may do something now.
package ratelimit

import (
	"errors"
	"fmt"
	"time"
)

// ErrLimited is returned when there are no tokens left.
var ErrLimited = errors.New("limited")

// Bucket holds tokens that come back with time.
type Bucket struct {
	Size   int
	Every  time.Duration
	tokens int
	last   time.Time
}

// NewBucket returns a full bucket.
func NewBucket(size int, every time.Duration, now time.Time) (*Bucket, error) {
	if size <= 0 {
		return nil, fmt.Errorf("size must be positive, got %d", size)
	}
	if every <= 0 {
		return nil, fmt.Errorf("interval must be positive")
	}
	return &Bucket{Size: size, Every: every, tokens: size, last: now}, nil
}

// Take takes one token.
func (b *Bucket) Take(now time.Time) error {
	b.refill(now)
	if b.tokens == 0 {
		return ErrLimited
	}
	b.tokens--
	return nil
}

// Left says how many tokens there are.
func (b *Bucket) Left(now time.Time) int {
	b.refill(now)
	return b.tokens
}

func (b *Bucket) refill(now time.Time) {
	fresh := int(now.Sub(b.last) / b.Every)
	if fresh > 0 {
		b.tokens += fresh
		if b.tokens > b.Size {
			b.tokens = b.Size
		}
		b.last = b.last.Add(time.Duration(fresh) * b.Every)
	}
}
