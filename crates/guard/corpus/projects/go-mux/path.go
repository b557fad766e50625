package mux

import "strings"

// SplitPath splits a path into its parts.
func SplitPath(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// JoinPath joins parts with single slashes.
func JoinPath(parts ...string) string {
	var clean []string
	for _, part := range parts {
		clean = append(clean, SplitPath(part)...)
	}
	return "/" + strings.Join(clean, "/")
}

func depth(path string) int {
	return len(SplitPath(path))
}

// Extension is the part after the last dot, in lower case.
func Extension(path string) string {
	dot := strings.LastIndex(path, ".")
	if dot < 0 || strings.Contains(path[dot:], "/") {
		return ""
	}
	return strings.ToLower(path[dot+1:])
}
