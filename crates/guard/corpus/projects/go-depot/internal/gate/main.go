// Command gate fails when a cover profile covers too little.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	minimum := flag.Float64("min", 85, "least share of statements, in percent")
	flag.Parse()
	file, err := os.Open(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	all, covered := 0.0, 0.0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		fields := strings.Fields(scanner.Text())
		if len(fields) != 3 {
			continue
		}
		statements, _ := strconv.ParseFloat(fields[1], 64)
		all += statements
		if fields[2] != "0" {
			covered += statements
		}
	}
	if all == 0 || 100*covered/all < *minimum {
		fmt.Fprintf(os.Stderr, "covered %.0f of %.0f statements\n", covered, all)
		os.Exit(1)
	}
}
