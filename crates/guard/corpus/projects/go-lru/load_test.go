package lru

import (
	"errors"
	"os"
	"strings"
	"testing"
)

type fakeSource struct {
	calls int
	err   error
}

func (f *fakeSource) Fetch(key string) (string, error) {
	f.calls++
	return "value of " + key, f.err
}

func TestLoadAsksOnce(t *testing.T) {
	cache := filled(t, 2)
	source := &fakeSource{}
	for i := 0; i < 3; i++ {
		got, err := Load(cache, source, "k")
		if err != nil {
			t.Fatal(err)
		}
		if got != "value of k" {
			t.Errorf("got %q, want %q", got, "value of k")
		}
	}
	if source.calls != 1 {
		t.Errorf("got %d calls, want %d", source.calls, 1)
	}
}

func TestLoadFailure(t *testing.T) {
	cause := errors.New("offline")
	_, err := Load(filled(t, 2), &fakeSource{err: cause}, "k")
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestImport(t *testing.T) {
	file, err := os.Open("testdata/entries.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cache := filled(t, 5)
	count, err := Import(cache, file)
	if err != nil {
		t.Fatal(err)
	}
	if count != 3 {
		t.Errorf("got %d, want %d", count, 3)
	}
	if value, _ := cache.Get("de"); value != "Deutsch" {
		t.Errorf("got %v, want %v", value, "Deutsch")
	}
}

func TestImportGarbage(t *testing.T) {
	if _, err := Import(filled(t, 1), strings.NewReader("{")); err == nil {
		t.Error("garbage was imported")
	}
}
