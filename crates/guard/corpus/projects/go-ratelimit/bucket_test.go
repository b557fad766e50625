package ratelimit

import (
	"errors"
	"math/rand"
	"testing"
	"time"
)

var start = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newBucket(t *testing.T, size int) *Bucket {
	t.Helper()
	bucket, err := NewBucket(size, time.Second, start)
	if err != nil {
		t.Fatal(err)
	}
	return bucket
}

func unusedClock() func() time.Time {
	return func() time.Time { return start }
}

func TestTake(t *testing.T) {
	bucket := newBucket(t, 2)
	if err := bucket.Take(start); err != nil {
		t.Fatal(err)
	}
	if got := bucket.Left(start); got != 1 {
		t.Errorf("got %d, want %d", got, 1)
	}
}

func TestLimited(t *testing.T) {
	bucket := newBucket(t, 1)
	if err := bucket.Take(start); err != nil {
		t.Fatal(err)
	}
	if err := bucket.Take(start); !errors.Is(err, ErrLimited) {
		t.Errorf("got %v, want %v", err, ErrLimited)
	}
}

func TestRefill(t *testing.T) {
	bucket := newBucket(t, 3)
	for i := 0; i < 3; i++ {
		if err := bucket.Take(start); err != nil {
			t.Fatal(err)
		}
	}
	if got := bucket.Left(start.Add(2500 * time.Millisecond)); got != 2 {
		t.Errorf("got %d, want %d", got, 2)
	}
	if got := bucket.Left(start.Add(time.Hour)); got != 3 {
		t.Errorf("got %d, want %d", got, 3)
	}
}

func TestSizeMustBePositive(t *testing.T) {
	if _, err := NewBucket(0, time.Second, start); err == nil {
		t.Error("a bucket of nothing was accepted")
	}
}

func TestIntervalMustBePositive(t *testing.T) {
	_, err := NewBucket(1, 0, start)
	if err == nil || err.Error() != "interval must be positive" {
		t.Errorf("got %v", err)
	}
}

func TestNeverMoreThanSize(t *testing.T) {
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	for i := 0; i < 500; i++ {
		bucket := newBucket(t, 5)
		if got := bucket.Left(start.Add(time.Duration(rng.Intn(1e6)) * time.Millisecond)); got > 5 {
			t.Fatalf("got %d tokens", got)
		}
	}
}

func TestTakeIsFast(t *testing.T) {
	bucket := newBucket(t, 1000)
	began := time.Now()
	for i := 0; i < 1000; i++ {
		if err := bucket.Take(start); err != nil {
			t.Fatal(err)
		}
	}
	if elapsed := time.Since(began); elapsed > 200*time.Millisecond {
		t.Errorf("took %v", elapsed)
	}
}
