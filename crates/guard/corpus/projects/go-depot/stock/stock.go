// Package stock keeps count of what is on the shelves.
package stock

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

// Errors that callers may ask for.
var (
	ErrUnknown = errors.New("unknown article")
	ErrShort   = errors.New("not enough in stock")
)

// Article is something that is sold.
type Article struct {
	Code     string
	Count    int
	Reserved int
	Minimum  int
}

// Free is what nobody has reserved.
func (a Article) Free() int { return a.Count - a.Reserved }

// Depot holds articles by their code.
type Depot struct {
	mutex    sync.Mutex
	articles map[string]*Article
	alarm    func(code string)
}

// New makes an empty depot; alarm is called when an article falls below its minimum.
func New(alarm func(code string)) *Depot {
	return &Depot{articles: map[string]*Article{}, alarm: alarm}
}

// Receive puts articles on the shelf.
func (d *Depot) Receive(code string, count int) error {
	if err := CheckCode(code); err != nil {
		return err
	}
	if count <= 0 {
		return fmt.Errorf("count must be positive, got %d", count)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	article, found := d.articles[code]
	if !found {
		article = &Article{Code: code, Minimum: 2}
		d.articles[code] = article
	}
	article.Count += count
	return nil
}

// Reserve sets articles aside for an order.
func (d *Depot) Reserve(code string, count int) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	article, found := d.articles[code]
	if !found {
		return fmt.Errorf("%w: %s", ErrUnknown, code)
	}
	if article.Free() < count {
		return fmt.Errorf("%w: %s has %d, wanted %d", ErrShort, code, article.Free(), count)
	}
	article.Reserved += count
	return nil
}

// Ship takes reserved articles away.
func (d *Depot) Ship(code string, count int) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	article, found := d.articles[code]
	if !found {
		return fmt.Errorf("%w: %s", ErrUnknown, code)
	}
	if article.Reserved < count {
		return fmt.Errorf("only %d of %s are reserved", article.Reserved, code)
	}
	article.Reserved -= count
	article.Count -= count
	if article.Count < article.Minimum && d.alarm != nil {
		d.alarm(code)
	}
	return nil
}

// Get returns a copy of an article.
func (d *Depot) Get(code string) (Article, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	article, found := d.articles[code]
	if !found {
		return Article{}, fmt.Errorf("%w: %s", ErrUnknown, code)
	}
	return *article, nil
}

// Codes lists all articles in order.
func (d *Depot) Codes() []string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	codes := make([]string, 0, len(d.articles))
	for code := range d.articles {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	return codes
}
