package tariff

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestBillGolden(t *testing.T) {
	order, err := os.Open("testdata/order.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer order.Close()
	var out bytes.Buffer
	bad, err := Bill(order, &out)
	if err != nil {
		t.Fatal(err)
	}
	if len(bad) != 0 {
		t.Errorf("bad lines: %v", bad)
	}
	golden(t, "order.golden", out.Bytes())
}

func TestBillReportsLines(t *testing.T) {
	order := "home 500\nmoon 1\n\nhome x\nhome 500 slow\nhome\nhome 99999\n"
	var out bytes.Buffer
	bad, err := Bill(strings.NewReader(order), &out)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`line 2: unknown zone: "moon"`,
		`line 4: bad weight: "x"`,
		`line 5: unknown service "slow"`,
		`line 6: want ZONE GRAMS [express], have "home"`,
		`line 7: bad weight: 99999 g`,
	}
	if len(bad) != len(want) {
		t.Fatalf("%d bad lines, want %d: %v", len(bad), len(want), bad)
	}
	for i, line := range bad {
		if line.Error() != want[i] {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
	if !errors.Is(bad[0], ErrZone) {
		t.Errorf("%v is no ErrZone", bad[0])
	}
	if !strings.HasSuffix(out.String(), "4.79\n") {
		t.Errorf("the total counts bad lines: %q", out.String())
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBillStopsWhenItCannotWrite(t *testing.T) {
	full := errors.New("disk full")
	if _, err := Bill(strings.NewReader("home 1\n"), brokenWriter{full}); !errors.Is(err, full) {
		t.Errorf("err = %v, want %v", err, full)
	}
}
