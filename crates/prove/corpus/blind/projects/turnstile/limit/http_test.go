package limit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHandler(t *testing.T) {
	rs, c := shop()
	served := 0
	h := New(rs, c.now).Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served++ }))
	send := func(address string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/login/ana", nil)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, port := range []string{"1", "2", "3"} {
		if w := send("10.0.0.1:" + port); w.Code != http.StatusOK {
			t.Errorf("port %s: got %d", port, w.Code)
		}
	}
	c.advance(100 * time.Millisecond)
	w := send("10.0.0.1:4")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "30" {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
	if !strings.Contains(w.Body.String(), "too many requests: login") {
		t.Errorf("got %q", w.Body)
	}
	if send("10.0.0.2:1").Code != http.StatusOK || send("unix").Code != http.StatusOK {
		t.Error("other clients are refused")
	}
	if served != 5 {
		t.Errorf("served %d", served)
	}
}
