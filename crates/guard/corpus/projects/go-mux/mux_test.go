package mux

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func hello(w http.ResponseWriter, _ *http.Request, params map[string]string) error {
	_, err := fmt.Fprintf(w, "hello %s", params["name"])
	return err
}

func request(m *Mux, method, path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	m.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
	return recorder
}

func newMux(t *testing.T) *Mux {
	t.Helper()
	m := &Mux{}
	if err := m.Handle("GET", "/hello/:name", hello); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParameters(t *testing.T) {
	response := request(newMux(t), "GET", "/hello/ann")
	if response.Code != http.StatusOK {
		t.Errorf("got %d, want %d", response.Code, http.StatusOK)
	}
	if got := response.Body.String(); got != "hello ann" {
		t.Errorf("got %q, want %q", got, "hello ann")
	}
}

func TestNotFound(t *testing.T) {
	response := request(newMux(t), "GET", "/nothing")
	if response.Code != 404 {
		t.Errorf("got %d, want %d", response.Code, 404)
	}
}

func TestMethodNotAllowed(t *testing.T) {
	response := request(newMux(t), "POST", "/hello/ann")
	if response.Code != 405 {
		t.Errorf("got %d, want %d", response.Code, 405)
	}
	if !strings.Contains(response.Body.String(), "method not allowed") {
		t.Errorf("got %q", response.Body.String())
	}
}

func TestErrorsAreHidden(t *testing.T) {
	m := newMux(t)
	var logged string
	m.Log = func(line string) { logged = line }
	_ = m.Handle("GET", "/boom", func(http.ResponseWriter, *http.Request, map[string]string) error {
		return errors.New("secret")
	})
	response := request(m, "GET", "/boom")
	if response.Code != 500 {
		t.Errorf("got %d, want %d", response.Code, 500)
	}
	if strings.Contains(response.Body.String(), "secret") {
		t.Error("the secret leaked")
	}
	if logged != "secret" {
		t.Errorf("logged %q", logged)
	}
}

func TestStatusError(t *testing.T) {
	m := newMux(t)
	_ = m.Handle("PUT", "/items", func(http.ResponseWriter, *http.Request, map[string]string) error {
		return &StatusError{http.StatusConflict, "exists"}
	})
	if response := request(m, "PUT", "/items"); response.Code != 409 {
		t.Errorf("got %d, want %d", response.Code, 409)
	}
}

func TestPatternNeedsSlash(t *testing.T) {
	if err := (&Mux{}).Handle("GET", "x", hello); err == nil {
		t.Error("a bad pattern was accepted")
	}
}

func TestHandlerIsNeeded(t *testing.T) {
	if err := (&Mux{}).Handle("GET", "/x", nil); err == nil {
		t.Error("no handler was accepted")
	}
}
