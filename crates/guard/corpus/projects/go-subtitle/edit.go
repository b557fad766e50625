package subtitle

import (
	"fmt"
	"regexp"
	"sort"
	"time"
)

// Options are what Clean does.
type Options struct {
	StripTags   bool
	MergeEqual  bool
	MaxPerLine  int
	MinDuration time.Duration
}

// DefaultOptions strip tags and merge cues that say the same.
var DefaultOptions = Options{StripTags: true, MergeEqual: true, MaxPerLine: 42, MinDuration: 700 * time.Millisecond}

var tag = regexp.MustCompile(`</?[a-z]+[^>]*>`)

// Shift moves every cue; those that would begin before the film are left out.
func Shift(cues []Cue, by time.Duration) []Cue {
	var moved []Cue
	for _, cue := range cues {
		cue.Start += by
		cue.End += by
		if cue.Start >= 0 {
			moved = append(moved, cue)
		}
	}
	return moved
}

// Stretch changes the speed, for films of another frame rate.
func Stretch(cues []Cue, from, to float64) ([]Cue, error) {
	if from <= 0 || to <= 0 {
		return nil, fmt.Errorf("bad frame rates %g and %g", from, to)
	}
	stretched := make([]Cue, len(cues))
	for i, cue := range cues {
		cue.Start = time.Duration(float64(cue.Start) * from / to)
		cue.End = time.Duration(float64(cue.End) * from / to)
		stretched[i] = cue
	}
	return stretched, nil
}

// StripTags removes markup such as <i>.
func StripTags(text string) string {
	return tag.ReplaceAllString(text, "")
}

// Overlaps lists the numbers of cues that begin before the one before them ends.
func Overlaps(cues []Cue) []int {
	sorted := append([]Cue(nil), cues...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Start < sorted[j].Start })
	var found []int
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Start < sorted[i-1].End {
			found = append(found, sorted[i].Number)
		}
	}
	return found
}

// Clean applies the options to every cue.
func Clean(cues []Cue, options Options) []Cue {
	var cleaned []Cue
	for _, cue := range cues {
		lines := make([]string, 0, len(cue.Lines))
		for _, line := range cue.Lines {
			if options.StripTags {
				line = StripTags(line)
			}
			lines = append(lines, line)
		}
		cue.Lines = lines
		if cue.Duration() < options.MinDuration {
			cue.End = cue.Start + options.MinDuration
		}
		last := len(cleaned) - 1
		if options.MergeEqual && last >= 0 && fmt.Sprint(cleaned[last].Lines) == fmt.Sprint(lines) {
			cleaned[last].End = cue.End
			continue
		}
		cleaned = append(cleaned, cue)
	}
	return cleaned
}
