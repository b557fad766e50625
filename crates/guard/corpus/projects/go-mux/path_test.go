package mux

import (
	"reflect"
	"testing"
)

func TestSplitPath(t *testing.T) {
	tests := map[string][]string{
		"/":     nil,
		"/a/b":  {"a", "b"},
		"/a/b/": {"a", "b"},
		"x":     {"x"},
	}
	for path, want := range tests {
		if got := SplitPath(path); !reflect.DeepEqual(got, want) {
			t.Errorf("SplitPath(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestJoinPath(t *testing.T) {
	if got := JoinPath("/api/", "users", "/7"); got != "/api/users/7" {
		t.Errorf("got %q, want %q", got, "/api/users/7")
	}
	if got := JoinPath(); got != "/" {
		t.Errorf("got %q, want %q", got, "/")
	}
}

func TestExtension(t *testing.T) {
	if got := Extension("/a/photo.JPG"); got != "jpg" {
		t.Errorf("got %q, want %q", got, "jpg")
	}
}

func TestNoExtension(t *testing.T) {
	if got := Extension("/a.b/photo"); got != "" {
		t.Errorf("got %q, want %q", got, "")
	}
}

func TestLastExtension(t *testing.T) {
	if got := Extension("a.tar.gz"); got != "gz" {
		t.Errorf("got %q, want %q", got, "gz")
	}
}
