package cron

import (
	"context"
	"errors"
	"testing"
	"time"
)

type fakeClock struct {
	now    time.Time
	sleeps int
	limit  int
}

func (f *fakeClock) Now() time.Time { return f.now }

func (f *fakeClock) Sleep(_ context.Context, until time.Time) error {
	if f.sleeps == f.limit {
		return context.Canceled
	}
	f.sleeps++
	f.now = until
	return nil
}

func TestRunUntilCanceled(t *testing.T) {
	clock := &fakeClock{now: at(t, "2024-05-01 10:00"), limit: 4}
	calls := 0
	err := Run(context.Background(), mustParse(t, "* * * * *"), clock, func() error {
		calls++
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if calls != 4 {
		t.Errorf("got %d calls, want %d", calls, 4)
	}
}

func TestRunGivesUp(t *testing.T) {
	clock := &fakeClock{now: at(t, "2024-05-01 10:00"), limit: 10}
	cause := errors.New("disk full")
	err := Run(context.Background(), mustParse(t, "* * * * *"), clock, func() error { return cause })
	if !errors.Is(err, cause) {
		t.Fatalf("got %v, want %v", err, cause)
	}
	if clock.sleeps != 3 {
		t.Errorf("got %d, want %d", clock.sleeps, 3)
	}
}

func TestRunNeedsJob(t *testing.T) {
	if err := Run(context.Background(), nil, nil, nil); err == nil {
		t.Error("ran nothing")
	}
}

func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	clock := &fakeClock{now: at(t, "2024-05-01 10:00"), limit: 0}
	if err := Run(ctx, mustParse(t, "0 0 * * *"), clock, func() error { return nil }); err == nil {
		t.Error("did not end")
	}
}
