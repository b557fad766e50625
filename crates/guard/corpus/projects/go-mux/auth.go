package mux

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrCredentials is returned when credentials are missing or wrong.
var ErrCredentials = errors.New("bad credentials")

// BasicAuth reads a user from an Authorization header.
func BasicAuth(header string, users map[string]string) (string, error) {
	if !strings.HasPrefix(header, "Basic ") {
		return "", ErrCredentials
	}
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(header, "Basic "))
	if err != nil {
		return "", fmt.Errorf("decode: %w", err)
	}
	user, password, _ := strings.Cut(string(decoded), ":")
	if want, known := users[user]; !known || want != password {
		return "", ErrCredentials
	}
	return user, nil
}

// Protected wraps a handler with BasicAuth.
func Protected(users map[string]string, next Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) error {
		if _, err := BasicAuth(r.Header.Get("Authorization"), users); err != nil {
			return &StatusError{http.StatusUnauthorized, "unauthorized"}
		}
		return next(w, r, params)
	}
}
