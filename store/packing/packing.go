// Package packing keeps comments compressed automatically: it trains a dictionary of the shop's
// own phrases as soon as there are enough texts, trains again when fresh texts pack clearly
// worse than they did, and lets older texts follow at a bounded rate.
//
//	stream ─▶ fresh texts ─┐
//	                       ├─ due? ─▶ train ─▶ settings: the dictionary in use
//	table ─▶ sample ───────┘                        │
//	table ─▶ stretch after stretch ─▶ pack ◀────────┘
//
// One process at a time does it, by a lease in the table, where it also says how
// far it is. Two that do it at once, because a lease ran out, do
// no harm: of two dictionaries one is used, and a comment is packed on the
// condition that it is as read.
package packing

import (
	"cmp"
	"context"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/pack"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options say when a dictionary is trained, and how fast texts follow. What is
// zero has a default.
type Options struct {
	Enough int           // texts from which a table's first dictionary is trained; 1,000
	Fresh  int           // written texts after which it is looked at how well they pack; 1,000
	Rate   float64       // capacity units a second that sampling and packing take; 100
	Look   time.Duration // between two looks whether a table without a dictionary has enough texts; an hour
	Log    *slog.Logger  // logs what was done; nil for none
}

const (
	// clearly is how much more fresh texts must take than texts did when the
	// dictionary was trained, so that it is trained again.
	clearly = 1.15
	// worth is what part of what they take with the old dictionary fresh texts
	// may take with a new one, so that it is used and everything is packed again.
	worth = 0.95
)

// Packing packs the texts of a table. It is safe for concurrent use.
type Packing struct {
	t        *table.Table
	settings *settings.Store
	o        Options
	scanner  *table.Scanner // paces everything here
	name     string         // of this process, in the lease

	mu    sync.Mutex
	fresh []Text // that were written lately, at most Fresh of them
	seen  int    // texts that were written since the last look
	known state  // as last read or written
	asked bool   // it was read once

	leases table.Sightings[int] // by revisions of the state
}

// New returns the packing of a table.
func New(t *table.Table, s *settings.Store, o Options) *Packing {
	o.Enough, o.Fresh = cmp.Or(o.Enough, 1000), cmp.Or(o.Fresh, 1000)
	o.Rate, o.Look = cmp.Or(o.Rate, 100), cmp.Or(o.Look, time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	id := make([]byte, 8)
	_, _ = t.Random().Read(id) // never fails
	return &Packing{t: t, settings: s, o: o, scanner: t.NewScanner(table.ScanOptions{Rate: o.Rate}),
		name: hex.EncodeToString(id)}
}

// Text is what a comment says, as it is stored: in a frame, or plain.
type Text struct {
	frame string
	plain pack.Words
}

// textOf returns a comment's text, ok is false if it is never packed: there is
// none, or it is too long for the indexes.
func textOf(c *item.Stored) (t Text, ok bool) {
	if c.Frame == "" && (c.Text == "" || len(c.Text) > item.InlineText) {
		return Text{}, false
	}
	return Text{c.Frame, c.Words()}, true
}

// words unpacks texts, and leaves out what no one can read any more because it is
// damaged or its dictionary is lost. It returns an Unavailable error if the store
// does not answer.
func (p *Packing) words(ctx context.Context, texts []Text) ([]pack.Words, error) {
	out := make([]pack.Words, 0, len(texts))
	for _, t := range texts {
		if t.frame == "" {
			out = append(out, t.plain)
			continue
		}
		codec, err := p.settings.CodecOf(ctx, t.frame)
		if errs.CodeOf(err) == errs.Internal {
			continue
		}
		if err != nil {
			return nil, err
		}
		if w, err := codec.Unpack(t.frame); err == nil && w.Text != "" {
			out = append(out, w)
		}
	}
	return out, nil
}
