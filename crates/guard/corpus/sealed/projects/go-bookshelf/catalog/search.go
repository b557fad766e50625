package catalog

import (
	"sort"
	"strings"
)

// Book is one title.
type Book struct {
	ISBN, Title, Author string
	Year                int
}

var fold = strings.NewReplacer("á", "a", "à", "a", "ä", "a", "é", "e", "è", "e", "ö", "o", "ü", "u", "ñ", "n", "ç", "c")

func words(text string) []string {
	return strings.FieldsFunc(fold.Replace(strings.ToLower(text)), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
}

// Search gives the books that have every word of the query, best first.
func Search(books []Book, query string) []Book {
	wanted := words(query)
	if len(wanted) == 0 {
		return nil
	}
	type hit struct {
		book  Book
		score int
	}
	var hits []hit
	for _, book := range books {
		title, author := words(book.Title), words(book.Author)
		score := 0
		for _, word := range wanted {
			switch {
			case contains(title, word):
				score += 2
			case contains(author, word):
				score++
			default:
				score = -1
			}
			if score < 0 {
				break
			}
		}
		if score > 0 {
			hits = append(hits, hit{book, score})
		}
	}
	sort.SliceStable(hits, func(i, j int) bool {
		if hits[i].score != hits[j].score {
			return hits[i].score > hits[j].score
		}
		return hits[i].book.Year > hits[j].book.Year
	})
	found := make([]Book, len(hits))
	for i, h := range hits {
		found[i] = h.book
	}
	return found
}

func contains(list []string, word string) bool {
	for _, item := range list {
		if strings.HasPrefix(item, word) {
			return true
		}
	}
	return false
}
