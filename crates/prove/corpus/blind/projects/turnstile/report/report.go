// Package report writes counts for people.
package report

import (
	"fmt"
	"io"
	"strings"

	"example.org/turnstile/limit"
)

// Write makes a table: the rule, how many came, and how much of that was refused.
func Write(w io.Writer, counts []limit.Count) error {
	width := len("rule")
	for _, c := range counts {
		if len(c.Rule) > width {
			width = len(c.Rule)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s %8s %8s\n", width, "rule", "came", "refused")
	came, refused := 0, 0
	for _, c := range counts {
		fmt.Fprintf(&b, "%-*s %8d %8s\n", width, c.Rule, c.Allowed+c.Refused, percent(c.Refused, c.Allowed+c.Refused))
		came += c.Allowed + c.Refused
		refused += c.Refused
	}
	fmt.Fprintf(&b, "%-*s %8d %8s\n", width, "all", came, percent(refused, came))
	_, err := io.WriteString(w, b.String())
	return err
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}
