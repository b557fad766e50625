// Command subtitle cleans a file of subtitles.
package main

import (
	"fmt"
	"os"

	"example.org/subtitle"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: subtitle FILE")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer file.Close()
	cues, err := subtitle.Parse(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := subtitle.Write(os.Stdout, subtitle.Clean(cues, subtitle.DefaultOptions)); err != nil {
		os.Exit(1)
	}
}
