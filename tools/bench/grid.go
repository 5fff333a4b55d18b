package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/pack"
	"product-comments/store/stream"
)

const (
	gridProduct  = "46"
	gridTable    = "grid.packed"
	idsTable     = "grid.plain"
	gridComments = 10_000
	gridDeep     = 400                  // the page in the depth
	gridPatience = 4 * time.Hour        // bounds the making of columns
	never        = 365 * 24 * time.Hour // so long nothing is done by time alone
)

// What pages by an attribute may cost: at the depth by the first ones, in read units
// and in time, and by pages by time; and how many there should be a second by those of
// the index of ids.
const (
	mostGridDeep = 1.1
	mostGridTime = 1.5
	leastGrid    = 2
)

// gridLists are the orders that are measured. The literal server reads the rows of the
// last one in one batch, which its text knows for comments that are one item.
var gridLists = []list{
	{name: "by time", product: gridProduct},
	{name: "by attribute, row by row", product: gridProduct, attribute: gridOrder},
	{name: "by attribute, in a batch", product: gridProduct, attribute: gridOrder, batch: true},
}

// gridCost is what a comment costs a product with very many attributes.
type gridCost struct {
	comments int     // of the product
	written  written // for those that are in all columns, by the import and the projector
	counted  counted
	ids      indexed // of all comments
}

// indexed is what the literal server's index took. It prints this as JSON.
type indexed struct {
	Entries int     `json:"entries"`
	Units   float64 `json:"units"` // write units
}

// measureGrid measures a product with very many attributes: what they cost when
// comments are written, and pages in the order of one of them, beside pages by time and
// beside those of an index of ids.
func measureGrid(ctx context.Context, b *bench) error {
	comments := newGrid(gridProduct, b.flags.of(gridComments))
	cost := gridCost{comments: len(comments)}
	if err := b.fillGrid(ctx, comments, &cost); err != nil {
		return err
	}
	if err := b.fillIDs(ctx, comments, &cost); err != nil {
		return err
	}
	b.report.gridCost(cost)
	var of both
	var err error
	if of.servers[0], err = b.startService(ctx, "grid", gridTable); err != nil {
		return err
	}
	if of.servers[1], err = b.startLiteral(ctx, idsTable); err != nil {
		return err
	}
	of.askers = [2]asker{ours(of.servers[0].addr), theirs(of.servers[1].addr)}
	deep := min(gridDeep, len(comments)/pageSize-stretch-2)
	places, err := of.measure(ctx, b, gridLists, deep)
	if err != nil {
		return err
	}
	b.report.grid(places)
	return nil
}

// fillGrid makes a table with the product's comments, and lets a projector make its
// columns: of the newest comments all, of the others that of gridOrder. To that end the
// product has one attribute at first, and then all of them.
func (b *bench) fillGrid(ctx context.Context, comments []store.Comment, cost *gridCost) error {
	m := &meter{Client: b.client}
	s, err := b.newTable(ctx, m, gridTable)
	if err != nil {
		return err
	}
	if _, err := s.TrainTexts(ctx, thin(says(comments), max(len(comments)/5, pack.MinSamples))); err != nil {
		return err
	}
	definitions := gridDefinitions()
	_, err = project(ctx, b.streams, s, stream.Options{}, func(ctx context.Context, c *stream.Consumer) error {
		if err := errors.Join(c.Wait(ctx), define(ctx, s, definitions[:1])); err != nil {
			return err
		}
		return s.Columns().Fill(ctx, gridProduct)
	})
	if err != nil {
		return err
	}
	others := len(comments) - b.flags.of(min(gridComments, b.flags.GridColumns))
	if _, err := b.writeGrid(ctx, s, comments[:others]); err != nil {
		return err
	}
	if err := define(ctx, s, definitions); err != nil {
		return err
	}
	m.read()
	say("grid: %d comments in %d columns", len(comments)-others, gridAttributes)
	cost.counted, err = b.writeGrid(ctx, s, comments[others:])
	cost.written = m.read()
	return err
}

// writeGrid writes comments and lets a projector make their columns, which brings no
// older ones along.
func (b *bench) writeGrid(ctx context.Context, s *store.Store, comments []store.Comment) (counted, error) {
	if len(comments) == 0 {
		return counted{}, nil
	}
	if err := writeAll(ctx, s, comments); err != nil {
		return counted{}, err
	}
	return countWithin(ctx, gridPatience, b.streams, s, comments, stream.Options{Tend: never})
}

// writeAll writes comments, not too many in a call, which has its time.
func writeAll(ctx context.Context, s *store.Store, comments []store.Comment) error {
	for batch := range slices.Chunk(comments, 1000) {
		if _, err := s.Import(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// define gives the product attributes.
func define(ctx context.Context, s *store.Store, list []attributes.Definition) error {
	_, err := s.Attributes().Define(ctx, attributes.Change{Scope: attributes.Scope{Product: gridProduct}, Definitions: list})
	return err
}

// fillIDs writes the comments to a table of plain ones, and lets the literal program
// make its index of ids.
func (b *bench) fillIDs(ctx context.Context, comments []store.Comment, cost *gridCost) error {
	say("grid: the index of ids")
	s, err := b.newTable(ctx, b.client, idsTable)
	if err != nil {
		return err
	}
	if err := writeAll(ctx, s, comments); err != nil {
		return err
	}
	indexed := []string{gridOrder}
	if b.flags.GridColumns >= gridComments {
		for i := 1; i < gridAttributes; i++ {
			indexed = append(indexed, gridKey(i))
		}
	}
	c := exec.CommandContext(ctx, filepath.Join(b.dir, literal), "--table="+idsTable, "--make-index="+strings.Join(indexed, ","))
	var says bytes.Buffer
	c.Stderr = &says
	output, err := c.Output()
	if err != nil {
		return fmt.Errorf("make the index of ids: %w\n%s", err, says.Bytes())
	}
	return json.Unmarshal(output, &cost.ids)
}

// gridCost reports on what a comment costs.
func (r *report) gridCost(c gridCost) {
	w, n := c.written, float64(c.counted.Comments)
	r.line("A product of %d comments with %d attributes, a comment with values of %d of them; means of the last %.0f comments:", c.comments, gridAttributes, gridValues, n)
	r.columns(1, "write units | the comment with its indexes | columns | statistics and checkpoints | transactions a comment | comments/s")
	r.row("projected | %.2f | %.1f | %.1f | %.2f | %.1f", w.units/n, w.columnUnits/n, (w.transactedUnits-w.columnUnits)/n, w.transactions/n, c.counted.rate())
	r.end()
	r.line("The index of ids has no entries of missing values, and no transactions: it takes %.1f write units an entry, %.0f a comment.",
		c.ids.Units/float64(c.ids.Entries), gridValues*c.ids.Units/float64(c.ids.Entries))
}

// grid reports on two places of each order, the first pages and deep ones.
func (r *report) grid(places []*place) {
	r.line("Pages a second in the order of an attribute, %d clients as above:", clients)
	r.columns(1, "order | from page | pages/s | ids | ratio | p50 ms | ids | p99 ms | ids | CPU µs/page | ids")
	for _, p := range places {
		a, b := p.sides[0], p.sides[1]
		r.row("%s | %d | %.0f | %.0f | %.2f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f", p.list.name, p.page, a.rate(), b.rate(), a.by(b),
			a.percentile(50), b.percentile(50), a.percentile(99), b.percentile(99), a.cpuPerPage(), b.cpuPerPage())
	}
	r.end()
	r.columns(1, "order | from page | read units | ids | cursor, characters | ids | answer, bytes | ids")
	for _, p := range places {
		a, b, n := p.seen[0], p.seen[1], stretch*clients
		r.row("%s | %d | %.2f | %.2f | %d | %d | %d | %d", p.list.name, p.page, a.units/float64(n), b.units/float64(n), a.cursor, b.cursor, a.bytes/n, b.bytes/n)
	}
	r.end()
	byTime, first, deep := places[0], places[2], places[3]
	// The last list asks our server for the same pages: it was measured twice there.
	firstTime, deepTime := &side{turns: slices.Concat(first.sides[0].turns, places[4].sides[0].turns)}, &side{turns: slices.Concat(deep.sides[0].turns, places[5].sides[0].turns)}
	r.atMost(fmt.Sprintf("by attribute, read units from page %d by those from page 1", deep.page), deep.seen[0].units/first.seen[0].units, mostGridDeep)
	r.atMost(fmt.Sprintf("by attribute, time of a page from page %d by those from page 1", deep.page), firstTime.by(deepTime), mostGridDeep)
	r.atMost("by attribute, read units by those by time", first.seen[0].units/byTime.seen[0].units, mostGridTime)
	for _, p := range places[2:4] {
		r.atLeast(fmt.Sprintf("by attribute, pages/s from page %d by those of an index of ids, row by row", p.page), p.sides[0].by(p.sides[1]), leastGrid)
	}
}
