package mux

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

var users = map[string]string{"ann": "s3cret"}

func basic(text string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
}

func TestKnownUser(t *testing.T) {
	user, err := BasicAuth(basic("ann:s3cret"), users)
	if err != nil {
		t.Fatal(err)
	}
	if user != "ann" {
		t.Errorf("got %q, want %q", user, "ann")
	}
}

func TestWrongPassword(t *testing.T) {
	if _, err := BasicAuth(basic("ann:guess"), users); !errors.Is(err, ErrCredentials) {
		t.Errorf("got %v, want %v", err, ErrCredentials)
	}
}

func TestBadHeaders(t *testing.T) {
	for _, header := range []string{"", "Bearer x", "Basic ???"} {
		if _, err := BasicAuth(header, users); err == nil {
			t.Errorf("%q was accepted", header)
		}
	}
}

func TestProtected(t *testing.T) {
	m := &Mux{}
	_ = m.Handle("GET", "/hello/:name", Protected(users, hello))
	if got := request(m, "GET", "/hello/ann").Code; got != 401 {
		t.Errorf("got %d, want %d", got, 401)
	}
	recorder := httptest.NewRecorder()
	allowed := httptest.NewRequest(http.MethodGet, "/hello/ann", nil)
	allowed.Header.Set("Authorization", basic("ann:s3cret"))
	m.ServeHTTP(recorder, allowed)
	if recorder.Code != 200 {
		t.Errorf("got %d, want %d", recorder.Code, 200)
	}
}

func TestArchiveExtension(t *testing.T) {
	if got := Extension("a.tar.gz"); got != "gz" {
		t.Errorf("got %q, want %q", got, "gz")
	}
}
