package csv

import (
	"bytes"
	"errors"
	"math/rand"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name, text string
		dialect    Dialect
		want       [][]string
	}{
		{"plain", "a,b\nc,d\n", Dialect{}, [][]string{{"a", "b"}, {"c", "d"}}},
		{"no last line feed", "a,b", Dialect{}, [][]string{{"a", "b"}}},
		{"empty fields", ",\n,", Dialect{}, [][]string{{"", ""}, {"", ""}}},
		{"windows", "a,b\r\nc,d\r\n", Dialect{}, [][]string{{"a", "b"}, {"c", "d"}}},
		{"quotes", `"a,""b""",c`, Dialect{}, [][]string{{`a,"b"`, "c"}}},
		{"lines in quotes", "\"a\nb\",c", Dialect{}, [][]string{{"a\nb", "c"}}},
		{"empty lines", "a\n\n\nb\n", Dialect{}, [][]string{{"a"}, {"b"}}},
		{"byte order mark", "\ufeffa,b", Dialect{}, [][]string{{"a", "b"}}},
		{"semicolons", "a,b;c", Dialect{Comma: ';'}, [][]string{{"a,b", "c"}}},
		{"comments", "#x\na\n#y", Dialect{Comment: '#'}, [][]string{{"a"}}},
		{"trim", " a , b\t,\" c \"", Dialect{Trim: true}, [][]string{{"a", "b", " c "}}},
		{"ragged", "a\nb,c", Dialect{Ragged: true}, [][]string{{"a"}, {"b", "c"}}},
		{"nothing", "", Dialect{}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Parse(row.text, row.dialect)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"open quote", "a,b\nc,\"d\ne", "line 2, column 3: quote is not closed"},
		{"quote inside", "a\nä\"b", "line 2, column 2: quote inside a field"},
		{"text after", "\"a\"b", "line 1, column 4: text after a quoted field"},
		{"uneven", "a,b\n\n\"c\nd\"\n", "line 3, column 1: 1 fields instead of 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse(row.text, Dialect{})
			var problem *Error
			if !errors.As(err, &problem) || err.Error() != row.want {
				t.Errorf("%v, want %v", err, row.want)
			}
		})
	}
}

func TestLongField(t *testing.T) {
	if _, err := Parse(strings.Repeat("x", MaxField), Dialect{}); err != nil {
		t.Error(err)
	}
	if _, err := Parse(strings.Repeat("x", 65537), Dialect{}); err == nil {
		t.Error("no error")
	}
}

func TestBadSeparator(t *testing.T) {
	for _, dialect := range []Dialect{{Comma: '"'}, {Comma: '\n'}, {Comma: '#', Comment: '#'}} {
		if _, err := Parse("a", dialect); err == nil {
			t.Errorf("%+v: no error", dialect)
		}
	}
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, [][]string{{"a", "b c", ""}, {"x,y", `"`, " z"}, {""}}, Dialect{})
	if want := "a,b c,\n\"x,y\",\"\"\"\",\" z\"\n\"\"\n"; err != nil || out.String() != want {
		t.Errorf("%q, want %q (%v)", out.String(), want, err)
	}
}

func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewSource(8))
	alphabet := []rune("ab,;\"\n #ä")
	for round := 0; round < 500; round++ {
		records := make([][]string, 1+random.Intn(4))
		width := 1 + random.Intn(4)
		for i := range records {
			for j := 0; j < width; j++ {
				var field []rune
				for k := random.Intn(6); k > 0; k-- {
					field = append(field, alphabet[random.Intn(len(alphabet))])
				}
				records[i] = append(records[i], string(field))
			}
		}
		dialect := Dialect{Comma: []rune{',', ';'}[random.Intn(2)], Comment: '#', Trim: true}
		var out bytes.Buffer
		if err := Write(&out, records, dialect); err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(out.String(), dialect); err != nil || !reflect.DeepEqual(got, records) {
			t.Fatalf("%q became %q (%v)", records, got, err)
		}
	}
}

func TestCities(t *testing.T) {
	text, err := os.ReadFile("../testdata/cities.csv")
	if err != nil {
		t.Fatal(err)
	}
	records, err := Parse(string(text), Dialect{Comma: ';', Comment: '#'})
	if err != nil || len(records) != 6 || records[3][0] != "Lund; old town" {
		t.Errorf("%q %v", records, err)
	}
}
