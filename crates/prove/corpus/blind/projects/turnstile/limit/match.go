package limit

import (
	"strings"

	"example.org/turnstile/rules"
)

// match compares level by level: * is any one level, ** at the end is whatever follows.
func match(pattern, path string) bool {
	want := strings.Split(strings.Trim(pattern, "/"), "/")
	have := strings.Split(strings.Trim(path, "/"), "/")
	for i, level := range want {
		if level == "**" && i == len(want)-1 {
			return true
		}
		if i >= len(have) {
			return false
		}
		if level != "*" && level != have[i] {
			return false
		}
	}
	return len(want) == len(have)
}

func fits(rule rules.Rule, r Request) bool {
	if len(rule.Methods) > 0 {
		known := false
		for _, method := range rule.Methods {
			known = known || method == r.Method
		}
		if !known {
			return false
		}
	}
	return match(rule.Path, r.Path)
}
