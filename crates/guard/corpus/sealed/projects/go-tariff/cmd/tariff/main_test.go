package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	tests := map[string]struct {
		args   []string
		status int
		stderr string
	}{
		"good order":   {[]string{"../../testdata/order.txt"}, 0, ""},
		"bad line":     {[]string{"../../testdata/broken.txt"}, 1, "tariff: line 2: unknown zone: \"moon\"\n"},
		"no file":      {[]string{"none.txt"}, 2, "tariff: open none.txt: no such file or directory\n"},
		"no arguments": {nil, 2, "usage: tariff FILE\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(tt.args, &stdout, &stderr); got != tt.status {
				t.Errorf("status = %d, want %d", got, tt.status)
			}
			if stderr.String() != tt.stderr {
				t.Errorf("stderr = %q, want %q", stderr.String(), tt.stderr)
			}
			if tt.status < 2 && !strings.Contains(stdout.String(), "total") {
				t.Errorf("no total in %q", stdout.String())
			}
		})
	}
}
