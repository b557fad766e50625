// Package rules reads what is allowed, and how often.
package rules

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Rule allows Limit requests in every Per, and Burst at once.
type Rule struct {
	Name    string
	Path    string
	Limit   int
	Per     time.Duration
	Burst   int
	Methods []string
}

// ErrNoRules is given for a text without a rule.
var ErrNoRules = errors.New("no rules")

// ParseError tells which line could not be read.
type ParseError struct {
	Line int
	Msg  string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// Parse reads sections of "key = value" lines. What follows a # is a comment.
func Parse(r io.Reader) ([]Rule, error) {
	var out []Rule
	var starts []int
	scanner := bufio.NewScanner(r)
	for n := 1; scanner.Scan(); n++ {
		line, _, _ := strings.Cut(scanner.Text(), "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			name := strings.TrimSpace(line[1 : len(line)-1])
			if name == "" {
				return nil, &ParseError{n, "a rule needs a name"}
			}
			for _, rule := range out {
				if rule.Name == name {
					return nil, &ParseError{n, "rule " + name + " is there twice"}
				}
			}
			out = append(out, Rule{Name: name})
			starts = append(starts, n)
			continue
		}
		if len(out) == 0 {
			return nil, &ParseError{n, "outside of a rule: " + line}
		}
		if err := out[len(out)-1].set(line); err != nil {
			return nil, &ParseError{n, err.Error()}
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, ErrNoRules
	}
	for i := range out {
		if out[i].Path == "" || out[i].Limit == 0 {
			return nil, &ParseError{starts[i], "rule " + out[i].Name + " needs path and rate"}
		}
		if out[i].Burst == 0 {
			out[i].Burst = out[i].Limit
		}
	}
	return out, nil
}

func (r *Rule) set(line string) error {
	key, value, found := strings.Cut(line, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !found || value == "" {
		return fmt.Errorf("cannot read %q", line)
	}
	var err error
	switch key {
	case "path":
		if !strings.HasPrefix(value, "/") {
			return fmt.Errorf("path %q must begin with /", value)
		}
		r.Path = value
	case "rate":
		r.Limit, r.Per, err = ParseRate(value)
	case "burst":
		r.Burst, err = strconv.Atoi(value)
		if err != nil || r.Burst < 1 {
			return fmt.Errorf("burst %q must be a positive number", value)
		}
	case "methods":
		for _, method := range strings.Split(value, ",") {
			r.Methods = append(r.Methods, strings.ToUpper(strings.TrimSpace(method)))
		}
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return err
}
