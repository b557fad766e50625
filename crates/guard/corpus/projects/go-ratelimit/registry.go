package ratelimit

import (
	"fmt"
	"log"
	"time"
)

// MaxClients is how many clients are remembered.
const MaxClients = 100

// Registry has a bucket for every client.
type Registry struct {
	Rule    Rule
	Notify  func(client string) error
	buckets map[string]*Bucket
}

// Allow says whether a client may go on.
func (r *Registry) Allow(client string, now time.Time) (bool, error) {
	if client == "" {
		return false, fmt.Errorf("client without a name")
	}
	if r.buckets == nil {
		r.buckets = map[string]*Bucket{}
	}
	bucket, known := r.buckets[client]
	if !known {
		if len(r.buckets) >= MaxClients {
			return false, fmt.Errorf("too many clients")
		}
		fresh, err := NewBucket(r.Rule.Count, r.Rule.Per, now)
		if err != nil {
			return false, fmt.Errorf("bucket of %s: %w", client, err)
		}
		bucket = fresh
		r.buckets[client] = bucket
	}
	if err := bucket.Take(now); err != nil {
		r.tell(client)
		return false, nil
	}
	return true, nil
}

func (r *Registry) tell(client string) {
	if r.Notify == nil {
		return
	}
	if err := r.Notify(client); err != nil {
		log.Printf("notify: %v", err)
	}
}

// MaskClient hides most of an address.
func MaskClient(client string) string {
	if len(client) <= 3 {
		return "***"
	}
	return client[:3] + "***"
}
