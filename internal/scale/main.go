package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

func main() {
	var c config
	kong.Parse(&c, kong.Name("scale"), kong.Description("Simulate DynamoDB's limits under loads that no test machine can produce."), kong.UsageOnError())
	if err := run(&c); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(c *config) error {
	all, err := c.sections(c.simulate())
	if err != nil {
		return err
	}
	if c.Write != "" {
		if err := rewrite(c.Write, all); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := show(&b, all); err != nil {
		return err
	}
	_, err = os.Stdout.Write(b.Bytes())
	return err
}
