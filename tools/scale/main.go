package main

import (
	"fmt"
	"os"

	"github.com/alecthomas/kong"
)

// config is the configuration of the command line; assumed.go has the constants.
type config struct {
	Views    float64 `help:"Page views a second on one product." default:"20000"`
	Campaign float64 `help:"Comments a second of the campaign." default:"5000"`
	Products int     `help:"Products that it is about." default:"10000"`
	Skew     float64 `help:"Exponent of Zipf's law for products." default:"1"`

	products []float64 // each product's share of all comments, in descending order
}

// AfterApply is a hook of kong.
func (c *config) AfterApply() error {
	c.Products = min(max(c.Products, 100), 100_000)
	c.products = zipf(c.Products, c.Skew)
	return nil
}

// parse parses the command line.
func parse(args []string) (*config, error) {
	var c config
	parser, err := kong.New(&c, kong.Name("scale"), kong.Description("Work out DynamoDB's limits under loads that no test machine can produce. Prices are in US dollars, on demand, in us-east-1."),
		kong.UsageOnError())
	if err == nil {
		_, err = parser.Parse(args)
	}
	return &c, err
}

func main() {
	c, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
	for _, s := range c.sections() {
		fmt.Printf("## %s\n\n%s\n", s.name, s.body)
	}
}

// section is a part of the report.
type section struct{ name, body string } // the name is that of its part in docs/benchmarks.md

// sections returns the report.
func (c *config) sections() []section {
	return []section{
		{"views", viewsTable(c.viewed())},
		{"campaign", c.campaignTable()},
		{"projector", c.projectorTable(c.projectors())},
		{"shop", moneyTable(bills(c.products))},
	}
}
