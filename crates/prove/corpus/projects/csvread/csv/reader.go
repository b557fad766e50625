// Package csv reads and writes separated values.
package csv

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxField is the largest number of bytes of a field.
const MaxField = 1 << 16

// Error says where the input is wrong.
type Error struct {
	Line, Column int
	Reason       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Dialect is how values are separated; the zero value is a comma.
type Dialect struct {
	Comma   rune // default ','
	Comment rune // lines beginning with it are left out; 0 for none
	Trim    bool // remove spaces around fields without quotes
	Ragged  bool // allow records of different lengths
}

func (d Dialect) comma() rune {
	if d.Comma == 0 {
		return ','
	}
	return d.Comma
}

type parser struct {
	dialect Dialect
	text    string
	line    int
	start   int // where the line begins
	at      int
}

func (p *parser) fail(at int, reason string) error {
	return &Error{p.line, utf8.RuneCountInString(p.text[p.start:at]) + 1, reason}
}

func (p *parser) newline() {
	p.line++
	p.start = p.at
}

// Parse returns all records of a text.
func Parse(text string, dialect Dialect) ([][]string, error) {
	if comma := dialect.comma(); comma == '"' || comma == '\n' || comma == '\r' || comma == dialect.Comment {
		return nil, fmt.Errorf("csv: bad separator %q", comma)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	p := &parser{dialect: dialect, text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1}
	var records [][]string
	for p.at < len(p.text) {
		if p.skip() {
			continue
		}
		line := p.line
		record, err := p.record()
		if err != nil {
			return nil, err
		}
		if len(records) > 0 && !dialect.Ragged && len(record) != len(records[0]) {
			return nil, &Error{line, 1, fmt.Sprintf("%d fields instead of %d", len(record), len(records[0]))}
		}
		records = append(records, record)
	}
	return records, nil
}

// skip passes over an empty line or a comment.
func (p *parser) skip() bool {
	rest := p.text[p.at:]
	first, _ := utf8.DecodeRuneInString(rest)
	if first != '\n' && (p.dialect.Comment == 0 || first != p.dialect.Comment) {
		return false
	}
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		p.at = len(p.text)
		return true
	}
	p.at += end + 1
	p.newline()
	return true
}

func (p *parser) record() ([]string, error) {
	var record []string
	for {
		field, err := p.field()
		if err != nil {
			return nil, err
		}
		if len(field) > MaxField {
			return nil, p.fail(p.at, "field is too long")
		}
		record = append(record, field)
		if p.at == len(p.text) {
			return record, nil
		}
		next, size := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += size
		if next == '\n' {
			p.newline()
			return record, nil
		}
	}
}

func (p *parser) field() (string, error) {
	if strings.HasPrefix(p.text[p.at:], `"`) {
		return p.quoted()
	}
	end := strings.IndexFunc(p.text[p.at:], func(r rune) bool { return r == '\n' || r == p.dialect.comma() })
	if end < 0 {
		end = len(p.text) - p.at
	}
	field := p.text[p.at : p.at+end]
	if quote := strings.IndexByte(field, '"'); quote >= 0 {
		return "", p.fail(p.at+quote, "quote inside a field")
	}
	p.at += end
	if p.dialect.Trim {
		field = strings.TrimSpace(field)
	}
	return field, nil
}

func (p *parser) quoted() (string, error) {
	begin, line, start := p.at, p.line, p.start
	p.at++
	var field strings.Builder
	for p.at < len(p.text) {
		char := p.text[p.at]
		p.at++
		switch {
		case char == '\n':
			field.WriteByte(char)
			p.newline()
		case char != '"':
			field.WriteByte(char)
		case strings.HasPrefix(p.text[p.at:], `"`):
			field.WriteByte('"')
			p.at++
		default:
			if p.at < len(p.text) {
				next, _ := utf8.DecodeRuneInString(p.text[p.at:])
				if next != '\n' && next != p.dialect.comma() {
					return "", p.fail(p.at, "text after a quoted field")
				}
			}
			return field.String(), nil
		}
	}
	p.line, p.start = line, start
	return "", p.fail(begin, "quote is not closed")
}

// Write writes records, with quotes where they are needed.
func Write(w io.Writer, records [][]string, dialect Dialect) error {
	for _, record := range records {
		cells := make([]string, len(record))
		for i, field := range record {
			if dialect.needsQuotes(field, i == 0 && len(record) == 1) {
				field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
			}
			cells[i] = field
		}
		if _, err := io.WriteString(w, strings.Join(cells, string(dialect.comma()))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (d Dialect) needsQuotes(field string, alone bool) bool {
	if field == "" {
		return alone
	}
	if strings.ContainsRune(field, d.comma()) || strings.ContainsAny(field, "\"\r\n") {
		return true
	}
	first, _ := utf8.DecodeRuneInString(field)
	return d.Comment != 0 && first == d.Comment || first == ' ' || first == '\ufeff' || strings.HasSuffix(field, " ")
}
