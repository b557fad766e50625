package limit

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// Handler asks the limiter before next; the client is the address without its port.
func (l *Limiter) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			client = r.RemoteAddr
		}
		decision := l.Allow(Request{Method: r.Method, Path: r.URL.Path, Client: client})
		if !decision.Allowed {
			w.Header().Set("Retry-After", seconds(decision.Retry))
			http.Error(w, "too many requests: "+decision.Rule, http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// seconds are rounded up, so that nobody comes too early.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
