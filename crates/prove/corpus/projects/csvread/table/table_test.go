package table

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"example.org/csvread/csv"
)

func cities(t *testing.T) *Table {
	t.Helper()
	text, err := os.ReadFile("../testdata/cities.csv")
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.Parse(string(text), csv.Dialect{Comma: ';', Comment: '#'})
	if err != nil {
		t.Fatal(err)
	}
	table, err := New(records)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func names(t *testing.T, table *Table) string {
	t.Helper()
	column, err := table.Column("name")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(column, ", ")
}

func TestNew(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("no header: no error")
	}
	if _, err := New([][]string{{"a", "b", "a"}}); err == nil || !strings.Contains(err.Error(), `"a" is there twice`) {
		t.Errorf("twice: %v", err)
	}
}

func TestUnknownColumn(t *testing.T) {
	if _, err := cities(t).Column("mayor"); !errors.Is(err, ErrNoColumn) {
		t.Errorf("%v", err)
	}
}

func TestNumbers(t *testing.T) {
	numbers, err := cities(t).Numbers("people")
	if err != nil || numbers[0] != 709037 || !math.IsNaN(numbers[4]) {
		t.Errorf("%v %v", numbers, err)
	}
	_, err = cities(t).Numbers("country")
	if want := `table: row 1, column country: "NO" is not a number`; err == nil || err.Error() != want {
		t.Errorf("%v, want %v", err, want)
	}
}

func TestSummarize(t *testing.T) {
	got, err := cities(t).Summarize("people")
	if err != nil {
		t.Fatal(err)
	}
	want := Summary{Count: 4, Sum: 1453057, Mean: 363264.25, Median: 324658.5, Dev: 256269.9, Min: 94703, Max: 709037}
	if math.Abs(got.Dev-want.Dev) > 0.1 {
		t.Errorf("dev %v, want %v", got.Dev, want.Dev)
	}
	got.Dev = want.Dev
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSummarizeFew(t *testing.T) {
	table := &Table{[]string{"n"}, [][]string{{""}}}
	if got, err := table.Summarize("n"); err != nil || got != (Summary{}) {
		t.Errorf("%+v %v", got, err)
	}
	table.Rows = [][]string{{"3"}}
	if got, _ := table.Summarize("n"); got.Dev != 0 || got.Median != 3 {
		t.Errorf("%+v", got)
	}
	table.Rows = [][]string{{"9"}, {"1"}, {"2"}}
	if got, _ := table.Summarize("n"); got.Median != 2 || got.Mean != 4 {
		t.Errorf("%+v", got)
	}
}

func TestFilter(t *testing.T) {
	table, err := cities(t).Filter("country", func(value string) bool { return value == "SE" })
	if err != nil || names(t, table) != "Lund; old town, Malmö" {
		t.Errorf("%v %v", table, err)
	}
}

func TestSort(t *testing.T) {
	for _, row := range []struct {
		column     string
		descending bool
		want       string
	}{
		{"name", false, "Bergen, Lund; old town, Malmö, Oslo, Thule"},
		{"people", false, "Thule, Lund; old town, Bergen, Malmö, Oslo"},
		{"people", true, "Oslo, Malmö, Bergen, Lund; old town, Thule"},
		{"country", false, "Thule, Oslo, Bergen, Lund; old town, Malmö"},
		{"country", true, "Lund; old town, Malmö, Oslo, Bergen, Thule"},
	} {
		table := cities(t)
		if err := table.Sort(row.column, row.descending); err != nil {
			t.Fatal(err)
		}
		if got := names(t, table); got != row.want {
			t.Errorf("%s %v: %s, want %s", row.column, row.descending, got, row.want)
		}
	}
}

func TestGroup(t *testing.T) {
	table, err := cities(t).Group("country", "people")
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"GL", "0"}, {"NO", "1000977"}, {"SE", "452080"}}; !reflect.DeepEqual(table.Rows, want) {
		t.Errorf("%v, want %v", table.Rows, want)
	}
}
