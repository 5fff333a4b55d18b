// Command dictionary trains the dictionary of package compressed from real comments and the demo's,
// and compares dictionaries on comments that they were not trained on.
//
// For another version, add a file and a line to the dictionaries of package compressed first: tables have
// texts that need the earlier ones.
package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/site/demo"
	"product-comments/store"
)

type config struct {
	Data    string `arg:"" help:"File of real comments, one JSON object a line, gzip." type:"existingfile"`
	Version int    `help:"Version of the dictionary." default:"1"`
	Output  string `help:"File for the dictionary, such as store/comment/compressed/dictionary1. Without it, dictionaries are compared."`
}

func main() {
	var c config
	kong.Parse(&c, kong.Name("dictionary"), kong.Description("Train the dictionary that texts are compressed with, or compare dictionaries."))
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, "dictionary:", err)
		os.Exit(1)
	}
}

func (c *config) run() error {
	real, err := read(c.Data)
	if err != nil {
		return err
	}
	of := withText(demo.Comments())
	if c.Output == "" {
		return compare(os.Stdout, real, of)
	}
	made, err := train(c.Version, real, of)
	if err != nil {
		return err
	}
	return os.WriteFile(c.Output, made, 0o644)
}

// read returns the comments with a text of a file.
func read(name string) ([]store.Comment, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var all []store.Comment
	for lines := bufio.NewScanner(plain); ; {
		if !lines.Scan() {
			return withText(all), lines.Err()
		}
		c, err := ndjson.Parse(lines.Bytes())
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
}

// withText returns the comments with a text: others are never compressed.
func withText(all []store.Comment) []store.Comment {
	with, _ := divide(all, func(c store.Comment) bool { return c.Text != "" })
	return with
}
