package subtitle

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func load(t *testing.T, name string) []Cue {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cues, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return cues
}

func golden(t *testing.T, name string, cues []Cue) {
	t.Helper()
	var buffer bytes.Buffer
	if err := Write(&buffer, cues); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, buffer.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(buffer.Bytes(), want) {
		t.Errorf("%s differs:\n%s", name, buffer.String())
	}
}

func TestParse(t *testing.T) {
	cues := load(t, "harbour.srt")
	if len(cues) != 4 {
		t.Fatalf("got %d cues, want 4", len(cues))
	}
	if cues[2].Lines[1] != "- Nobody." {
		t.Errorf("got %q", cues[2].Lines[1])
	}
	if got, want := cues[0].Duration(), 2500*time.Millisecond; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	cases := []struct {
		name, text, want string
	}{
		{"number", "one\n", `cue 1: bad number "one"`},
		{"times", "1\n00:00:01,000\n", `cue 1: bad times "00:00:01,000"`},
		{"timecode", "1\n00:00:01 --> 00:00:02,000\n", `cue 1: not a timecode: "00:00:01"`},
		{"order", "1\n00:00:02,000 --> 00:00:01,000\n", "cue 1: cue ends before it begins"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(tc.text))
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != tc.want {
				t.Errorf("got %q, want %q", err, tc.want)
			}
		})
	}
}

func TestParseUnexpectedEnd(t *testing.T) {
	_, err := Parse(strings.NewReader("1"))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestReadingSpeed(t *testing.T) {
	cue := Cue{Start: 0, End: 3 * time.Second, Lines: []string{"Größe", "zählt"}}
	if got := cue.ReadingSpeed(); math.Abs(got-3.3333) > 0.001 {
		t.Errorf("got %v, want about %v", got, 3.3333)
	}
	if got := (Cue{}).ReadingSpeed(); got != 0 {
		t.Errorf("got %v for a cue of no length", got)
	}
}

func TestWriteNumbersAnew(t *testing.T) {
	golden(t, "renumbered.golden", load(t, "harbour.srt")[1:3])
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFails(t *testing.T) {
	if err := Write(fullDisk{}, []Cue{{}}); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v, want disk full", err)
	}
}
