// Command tariff prints the bill of an order.
package main

import (
	"fmt"
	"io"
	"os"

	"example.org/tariff"
)

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "usage: tariff FILE")
		return 2
	}
	file, err := os.Open(args[0])
	if err != nil {
		fmt.Fprintln(stderr, "tariff:", err)
		return 2
	}
	defer file.Close()
	bad, err := tariff.Bill(file, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "tariff:", err)
		return 2
	}
	for _, line := range bad {
		fmt.Fprintln(stderr, "tariff:", line)
	}
	if len(bad) > 0 {
		return 1
	}
	return 0
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
