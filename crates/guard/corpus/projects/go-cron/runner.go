package cron

import (
	"context"
	"fmt"
	"log"
	"time"
)

// MaxFailures ends a runner whose job keeps failing.
const MaxFailures = 3

// Clock is what a runner waits on.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, until time.Time) error
}

// Run calls the job whenever the line is due, until it fails too often or the context ends.
func Run(ctx context.Context, line *Line, clock Clock, job func() error) error {
	if job == nil {
		return fmt.Errorf("no job")
	}
	failures := 0
	for {
		next, err := line.Next(clock.Now())
		if err != nil {
			return err
		}
		if err := clock.Sleep(ctx, next); err != nil {
			return err
		}
		if err := job(); err != nil {
			log.Printf("job: %v", err)
			failures++
			if failures >= MaxFailures {
				return fmt.Errorf("failed %d times: %w", failures, err)
			}
			continue
		}
		failures = 0
	}
}
