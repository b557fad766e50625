// Package mux routes requests by path.
package mux

import (
	"fmt"
	"net/http"
	"strings"
)

// Handler answers a request or fails with a status.
type Handler func(w http.ResponseWriter, r *http.Request, params map[string]string) error

// StatusError is an error with a status.
type StatusError struct {
	Status  int
	Message string
}

func (e *StatusError) Error() string {
	return e.Message
}

type route struct {
	method  string
	parts   []string
	handler Handler
}

// Mux is a set of routes.
type Mux struct {
	routes []route
	Log    func(string)
}

// Handle adds a route.
func (m *Mux) Handle(method, pattern string, handler Handler) error {
	if !strings.HasPrefix(pattern, "/") {
		return fmt.Errorf("pattern %q does not start with a slash", pattern)
	}
	if handler == nil {
		return fmt.Errorf("no handler for %s", pattern)
	}
	m.routes = append(m.routes, route{method, SplitPath(pattern), handler})
	return nil
}

// ServeHTTP finds the route and calls its handler.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := SplitPath(r.URL.Path)
	found := false
	for _, route := range m.routes {
		params, ok := match(route.parts, parts)
		if !ok {
			continue
		}
		found = true
		if route.method != r.Method {
			continue
		}
		if err := route.handler(w, r, params); err != nil {
			m.fail(w, err)
		}
		return
	}
	if found {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	http.Error(w, "not found", http.StatusNotFound)
}

func (m *Mux) fail(w http.ResponseWriter, err error) {
	if m.Log != nil {
		m.Log(err.Error())
	}
	if status, ok := err.(*StatusError); ok {
		http.Error(w, status.Message, status.Status)
		return
	}
	http.Error(w, "internal error", http.StatusInternalServerError)
}

func match(pattern, parts []string) (map[string]string, bool) {
	if len(pattern) != len(parts) {
		return nil, false
	}
	params := map[string]string{}
	for i, part := range pattern {
		if strings.HasPrefix(part, ":") {
			params[part[1:]] = parts[i]
		} else if part != parts[i] {
			return nil, false
		}
	}
	return params, true
}
