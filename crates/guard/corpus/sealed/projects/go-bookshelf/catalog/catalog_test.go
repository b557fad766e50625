package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/bookshelf/catalog"
)

var shelf = []catalog.Book{
	{ISBN: "9780000000019", Title: "The Winter Garden", Author: "Zoé Marsh", Year: 1998},
	{ISBN: "9780000000026", Title: "Gardens of Málaga", Author: "Juan Winter", Year: 2015},
	{ISBN: "9780000000033", Title: "Winter", Author: "Ada Lund", Year: 2003},
}

func titles(books []catalog.Book) []string {
	var list []string
	for _, book := range books {
		list = append(list, book.Title)
	}
	return list
}

func TestSearch(t *testing.T) {
	for query, want := range map[string][]string{
		"winter":        {"Winter", "The Winter Garden", "Gardens of Málaga"},
		"garden winter": {"The Winter Garden", "Gardens of Málaga"},
		"MALAGA":        {"Gardens of Málaga"},
		"zoe":           {"The Winter Garden"},
		"wint marsh":    {"The Winter Garden"},
		"summer":        nil,
		"winter summer": nil,
		" ,;":           nil,
	} {
		t.Run(query, func(t *testing.T) {
			assert.Equal(t, want, titles(catalog.Search(shelf, query)))
		})
	}
}

func TestISBN(t *testing.T) {
	got, err := catalog.ISBN("978-3-16-148410-0")
	require.NoError(t, err)
	assert.Equal(t, "9783161484100", got)

	for _, bad := range []string{"", "978-3-16-148410-1", "978316148410", "97831614841000", "978316148410X"} {
		_, err := catalog.ISBN(bad)
		assert.ErrorIs(t, err, catalog.ErrISBN, bad)
	}
}

func TestISBNFindsWrongDigits(t *testing.T) {
	const good = "9783161484100"
	missed := 0
	for i := range good {
		for digit := byte('0'); digit <= '9'; digit++ {
			if good[i] == digit {
				continue
			}
			if _, err := catalog.ISBN(good[:i] + string(digit) + good[i+1:]); err == nil {
				missed++
			}
		}
	}
	assert.Zero(t, missed)
}

func BenchmarkSearch(b *testing.B) {
	for i := 0; i < b.N; i++ {
		catalog.Search(shelf, "garden winter")
	}
}
