package ratelimit

import (
	"errors"
	"testing"
)

func newRegistry(count int) *Registry {
	return &Registry{Rule: Rule{count, 1e9}}
}

func TestAllow(t *testing.T) {
	registry := newRegistry(1)
	allowed, err := registry.Allow("ann", start)
	if err != nil {
		t.Fatal(err)
	}
	if allowed != true {
		t.Errorf("got %v, want %v", allowed, true)
	}
}

func TestClientsAreApart(t *testing.T) {
	registry := newRegistry(1)
	if allowed, _ := registry.Allow("ann", start); !allowed {
		t.Error("ann was refused")
	}
	if allowed, _ := registry.Allow("bob", start); !allowed {
		t.Error("bob was refused")
	}
	if allowed, _ := registry.Allow("ann", start); allowed {
		t.Error("ann was allowed twice")
	}
}

func TestClientNeedsName(t *testing.T) {
	if _, err := newRegistry(1).Allow("", start); err == nil {
		t.Error("nobody was allowed")
	}
}

func TestNotify(t *testing.T) {
	registry := newRegistry(1)
	var told []string
	registry.Notify = func(client string) error {
		told = append(told, client)
		return errors.New("no network")
	}
	registry.Allow("ann", start)
	registry.Allow("ann", start)
	if len(told) != 1 {
		t.Errorf("got %d, want %d", len(told), 1)
	}
}

func TestMaskClient(t *testing.T) {
	if got := MaskClient("10.0.0.7"); got != "10.***" {
		t.Errorf("got %q, want %q", got, "10.***")
	}
	if got := MaskClient("me"); got != "***" {
		t.Errorf("got %q, want %q", got, "***")
	}
}

func TestDistributed(t *testing.T) {
	t.Skip("needs a cluster")
	if got := MaskClient("abc"); got != "***" {
		t.Errorf("got %q, want %q", got, "***")
	}
}
