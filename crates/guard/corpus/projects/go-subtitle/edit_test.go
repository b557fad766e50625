package subtitle

import (
	"reflect"
	"testing"
	"time"
)

func at(start, end int, lines ...string) Cue {
	return Cue{Start: time.Duration(start) * time.Second, End: time.Duration(end) * time.Second, Lines: lines}
}

func TestShift(t *testing.T) {
	cues := []Cue{at(1, 2, "a"), at(5, 6, "b")}
	later := Shift(cues, 10*time.Second)
	if !reflect.DeepEqual(later, []Cue{at(11, 12, "a"), at(15, 16, "b")}) {
		t.Errorf("got %v", later)
	}
	if earlier := Shift(cues, -2*time.Second); len(earlier) != 1 || earlier[0].Lines[0] != "b" {
		t.Errorf("got %v", earlier)
	}
	if cues[0].Start != time.Second {
		t.Error("the input was changed")
	}
}

func TestStretch(t *testing.T) {
	stretched, err := Stretch([]Cue{at(25, 50, "a")}, 24, 25)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := stretched[0].Start, 24*time.Second; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStretchRefusesNoRate(t *testing.T) {
	if _, err := Stretch(nil, 0, 25); err == nil {
		t.Error("a frame rate of nothing was accepted")
	}
}

func TestStripTags(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"<i>dawn</i>", "dawn"},
		{`<font color="red">stop</font>`, "stop"},
		{"1 < 2", "1 < 2"},
	} {
		if got := StripTags(tc.text); got != tc.want {
			t.Errorf("StripTags(%q) = %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestOverlaps(t *testing.T) {
	got := Overlaps(load(t, "harbour.srt"))
	if want := []int{2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestClean(t *testing.T) {
	golden(t, "cleaned.golden", Clean(load(t, "harbour.srt"), DefaultOptions))
}

func TestCleanKeepsTags(t *testing.T) {
	options := DefaultOptions
	options.StripTags = false
	cleaned := Clean([]Cue{at(1, 2, "<b>no</b>")}, options)
	if cleaned[0].Lines[0] != "<b>no</b>" {
		t.Errorf("got %q", cleaned[0].Lines[0])
	}
}

func TestCleanIsQuick(t *testing.T) {
	cues := make([]Cue, 20000)
	for i := range cues {
		cues[i] = at(i, i+1, "<i>x</i>")
	}
	started := time.Now()
	if got := len(Clean(cues, DefaultOptions)); got != 1 {
		t.Errorf("got %d cues, want 1", got)
	}
	if passed := time.Since(started); passed > 2*time.Second {
		t.Errorf("took %v", passed)
	}
}
