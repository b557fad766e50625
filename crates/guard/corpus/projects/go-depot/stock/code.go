package stock

import (
	"fmt"
	"strings"
)

// CheckCode accepts codes such as AB-1234.
func CheckCode(code string) error {
	family, number, found := strings.Cut(code, "-")
	if !found || len(family) != 2 || len(number) != 4 {
		return fmt.Errorf("bad code %q", code)
	}
	for _, letter := range family {
		if letter < 'A' || letter > 'Z' {
			return fmt.Errorf("bad family in %q", code)
		}
	}
	if strings.Trim(number, "0123456789") != "" {
		return fmt.Errorf("bad number in %q", code)
	}
	return nil
}

// Shelf says where an article lies: row and place.
func Shelf(code string) (string, error) {
	if err := CheckCode(code); err != nil {
		return "", err
	}
	return fmt.Sprintf("%c%s.%s", code[0], code[3:5], code[5:]), nil
}

// Normalize writes codes as the labels do.
func Normalize(code string) string {
	code = strings.ToUpper(strings.TrimSpace(code))
	if len(code) == 6 && !strings.Contains(code, "-") {
		return code[:2] + "-" + code[2:]
	}
	return code
}
