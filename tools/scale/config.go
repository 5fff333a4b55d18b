package main

import (
	"strconv"

	"github.com/alecthomas/kong"

	"product-comments/store/projector"
)

// config is what can be changed from the command line; assumed.go has the rest.
type config struct {
	Views    float64 `help:"Page views a second on one product." default:"20000"`
	Campaign float64 `help:"Comments a second of the campaign." default:"5000"`
	Products int     `help:"Products that it is about." default:"10000"`
	Skew     float64 `help:"Exponent of Zipf's law for products." default:"1"`
	Groups   int     `help:"Groups of products that are projected side by side." default:"${groups}"`

	WritePrice   float64 `help:"A million write units." default:"0.625"`
	ReadPrice    float64 `help:"A million read units." default:"0.125"`
	StoragePrice float64 `help:"A GB of storage a month." default:"0.25"`
	StreamPrice  float64 `help:"100,000 reads of the stream by anything but Lambda." default:"0.02"`
	AppsyncPrice float64 `help:"A million operations of AppSync." default:"4"`
	ServerPrice  float64 `help:"A server a month: 2 vCPU and 4 GB on Fargate." default:"72"`
	SendPrice    float64 `help:"A GB sent by servers or AppSync." default:"0.09"`
	CdnPrice     float64 `help:"10,000 requests to the CDN." default:"0.01"`
	CdnSendPrice float64 `help:"A GB sent by the CDN." default:"0.085"`

	Write string `help:"Also replace the marked sections of this file." placeholder:"FILE" type:"path"`

	products []float64 // share of all comments of each product, those with the most first
}

// newParser returns a parser of the command line into a configuration.
func newParser(c *config) (*kong.Kong, error) {
	return kong.New(c, kong.Name("scale"), kong.Description("Work out DynamoDB's limits under loads that no test machine can produce. Prices are in US dollars, on demand, in us-east-1."),
		kong.UsageOnError(), kong.Vars{"groups": strconv.Itoa(projector.DefaultGroups)})
}

// AfterApply is called by kong.
func (c *config) AfterApply() error {
	c.Products, c.Groups = min(max(c.Products, 100), 100_000), max(c.Groups, 1)
	c.products = zipf(c.Products, c.Skew)
	return nil
}

// flagsTable lists what can be changed, and what it is.
func (c *config) flagsTable(parser *kong.Kong) string {
	t := newTable("a-a", "flag | value | ")
	for _, f := range parser.Model.Flags {
		if f.Name != "help" && f.Name != "write" {
			t.row("`--"+f.Name+"`", f.Target.Interface(), f.Help)
		}
	}
	return t.String()
}
