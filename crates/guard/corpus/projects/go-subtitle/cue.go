package subtitle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Cue is one text and when it is seen.
type Cue struct {
	Number     int
	Start, End time.Duration
	Lines      []string
}

// ErrOrder is returned for a cue that ends before it begins.
var ErrOrder = errors.New("cue ends before it begins")

// Duration says how long a cue is seen.
func (c Cue) Duration() time.Duration { return c.End - c.Start }

// ReadingSpeed is in characters per second.
func (c Cue) ReadingSpeed() float64 {
	if c.Duration() <= 0 {
		return 0
	}
	count := 0
	for _, line := range c.Lines {
		count += len([]rune(line))
	}
	return float64(count) / c.Duration().Seconds()
}

// Parse reads all cues.
func Parse(reader io.Reader) ([]Cue, error) {
	var cues []Cue
	scanner := bufio.NewScanner(reader)
	for scanner.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(scanner.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		cue, err := parseCue(line, scanner)
		if err != nil {
			return nil, fmt.Errorf("cue %d: %w", len(cues)+1, err)
		}
		cues = append(cues, cue)
	}
	return cues, scanner.Err()
}

func parseCue(first string, scanner *bufio.Scanner) (Cue, error) {
	number, err := strconv.Atoi(first)
	if err != nil {
		return Cue{}, fmt.Errorf("bad number %q", first)
	}
	if !scanner.Scan() {
		return Cue{}, io.ErrUnexpectedEOF
	}
	start, end, found := strings.Cut(scanner.Text(), " --> ")
	if !found {
		return Cue{}, fmt.Errorf("bad times %q", scanner.Text())
	}
	cue := Cue{Number: number}
	if cue.Start, err = ParseTimecode(start); err != nil {
		return Cue{}, err
	}
	if cue.End, err = ParseTimecode(end); err != nil {
		return Cue{}, err
	}
	if cue.End < cue.Start {
		return Cue{}, ErrOrder
	}
	for scanner.Scan() && strings.TrimSpace(scanner.Text()) != "" {
		cue.Lines = append(cue.Lines, strings.TrimSpace(scanner.Text()))
	}
	return cue, nil
}

// Write writes cues, numbered anew.
func Write(writer io.Writer, cues []Cue) error {
	for i, cue := range cues {
		_, err := fmt.Fprintf(writer, "%d\n%s --> %s\n%s\n\n", i+1, FormatTimecode(cue.Start), FormatTimecode(cue.End), strings.Join(cue.Lines, "\n"))
		if err != nil {
			return err
		}
	}
	return nil
}
