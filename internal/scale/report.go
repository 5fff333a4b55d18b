package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// section is a part of the report.
type section struct {
	name  string // of its marks in a file
	title string
	body  string
}

// results are what all scenarios come to.
type results struct {
	views       []viewFigures
	campaign    []campaignFigures
	courses     []course
	leaderboard []placingFigures
	projectors  []projectorFigures
	shop, hot   []bill
}

// simulate runs all scenarios.
func (c *config) simulate() *results {
	s := newShop(c.Traffic.Products, c.Traffic.Skew)
	r := &results{projectors: c.projectors(s)}
	var running sync.WaitGroup
	running.Go(func() { r.leaderboard = c.leaderboard(s) })
	running.Go(func() {
		r.views = c.views()
		r.campaign, r.courses = c.campaign(s), c.courses(s)
		r.shop, r.hot = c.shopMonth(), c.hotMonth()
	})
	running.Wait()
	return r
}

// sections are the report.
func (c *config) sections(r *results) ([]section, error) {
	t := c.Traffic
	flags, err := c.flagsTable()
	if err != nil {
		return nil, err
	}
	return []section{
		{"answers", "Answers", c.answersTable(r)},
		{"size", fmt.Sprintf("One product with %s comments", many(t.BigProduct)), c.sizeTable()},
		{"views", fmt.Sprintf("%s page views a second on one product", figure(t.Views)), c.viewsTable(r.views)},
		{"campaign", "Comments a second", c.campaignTable(r.campaign)},
		{"course", fmt.Sprintf("A campaign of %s comments a second", figure(t.Campaign)), c.coursesTable(r.courses)},
		{"projector", "The projector", c.projectorTable(r.projectors)},
		{"leaderboard", fmt.Sprintf("The leaderboard at %s comments a second", figure(t.Campaign)), c.leaderboardTable(r.leaderboard)},
		{"shop", "A month of a large shop", moneyTable(r.shop)},
		{"hot", fmt.Sprintf("A month of %s page views a second on one product", figure(t.Views)), moneyTable(r.hot)},
		{"flags", "Flags", flags},
	}, nil
}

func show(w io.Writer, sections []section) error {
	for _, s := range sections {
		if _, err := fmt.Fprintf(w, "## %s\n\n%s\n", s.title, s.body); err != nil {
			return err
		}
	}
	return nil
}

func (s section) marks() (begin, end string) {
	return fmt.Sprintf("<!-- make scale: %s -->\n\n", s.name), "\n<!-- end -->\n"
}

// replace puts the sections between their marks in a text.
func replace(text string, sections []section) (string, error) {
	for _, s := range sections {
		begin, end := s.marks()
		before, rest, ok := strings.Cut(text, begin)
		if !ok {
			return "", fmt.Errorf("there is no line %q: add one, and after it a line %q, where the section belongs", strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		_, after, ok := strings.Cut(rest, end)
		if !ok {
			return "", fmt.Errorf("after %q there is no line %q: add one where the section ends", strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		text = before + begin + s.body + end + after
	}
	return text, nil
}

// rewrite replaces the marked sections of a file.
func rewrite(file string, sections []section) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fresh, err := replace(string(text), sections)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(fresh), 0o644)
}
