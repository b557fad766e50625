// Package subtitle reads, shifts and writes SubRip subtitles.
package subtitle

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrTimecode is returned for what is not of the form 00:01:02,345.
var ErrTimecode = errors.New("not a timecode")

// ParseTimecode reads hours, minutes, seconds and thousandths.
func ParseTimecode(text string) (time.Duration, error) {
	clock, millis, found := strings.Cut(strings.TrimSpace(text), ",")
	parts := strings.Split(clock, ":")
	if !found || len(parts) != 3 || len(millis) != 3 {
		return 0, fmt.Errorf("%w: %q", ErrTimecode, text)
	}
	var total time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		value, err := strconv.Atoi(parts[i])
		if err != nil || value < 0 || (i > 0 && value > 59) {
			return 0, fmt.Errorf("%w: %q", ErrTimecode, text)
		}
		total += time.Duration(value) * unit
	}
	value, err := strconv.Atoi(millis)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrTimecode, text)
	}
	return total + time.Duration(value)*time.Millisecond, nil
}

// FormatTimecode is the inverse of ParseTimecode. Negative times become zero.
func FormatTimecode(at time.Duration) string {
	if at < 0 {
		at = 0
	}
	millis := at.Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d,%03d", millis/3600000, millis/60000%60, millis/1000%60, millis%1000)
}
