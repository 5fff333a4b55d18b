package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var c config
	parser, err := newParser(&c)
	if err != nil {
		return err
	}
	_, err = parser.Parse(args)
	parser.FatalIfErrorf(err)
	all := c.sections(c.flagsTable(parser))
	for _, s := range all {
		fmt.Printf("## %s\n\n%s\n", s.name, s.body)
	}
	if c.Write == "" {
		return nil
	}
	return rewrite(c.Write, all)
}

// section is a part of the report.
type section struct{ name, body string } // the name is of its marks in a file

// results are what all scenarios come to.
type results struct {
	views                 []viewFigures
	campaign, leaderboard []caseFigures
	projectors            []projectorFigures
	shop                  []bill
}

// sections are the report.
func (c *config) sections(flags string) []section {
	shop := use{monthViews, monthComments, stored, peak, c.products}
	hot := use{c.Views * monthSeconds, 0, bigProduct, 1, []float64{1}}
	r := &results{c.viewed(), c.limits(c.campaignCases()), c.limits(c.placingCases()), c.projectors(), c.bills(shop)}
	return []section{
		{"answers", c.answersTable(r)},
		{"size", sizeTable()},
		{"views", viewsTable(r.views)},
		{"campaign", campaignTable(r.campaign)},
		{"projector", c.projectorTable(r.projectors)},
		{"leaderboard", c.leaderboardTable(r.leaderboard)},
		{"shop", moneyTable(r.shop)},
		{"hot", moneyTable(c.bills(hot))},
		{"flags", flags},
	}
}

func (s section) marks() (begin, end string) {
	return fmt.Sprintf("<!-- make scale: %s -->\n\n", s.name), "\n<!-- end -->\n"
}

// rewrite replaces the marked sections of a file.
func rewrite(file string, sections []section) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(content)
	for _, s := range sections {
		begin, end := s.marks()
		before, rest, begins := strings.Cut(text, begin)
		_, after, ends := strings.Cut(rest, end)
		if !begins || !ends {
			return fmt.Errorf("%s: there must be a line %q and after it a line %q, where the section belongs", file, strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		text = before + begin + s.body + end + after
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
