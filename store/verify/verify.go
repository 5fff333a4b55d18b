// Package verify compares everything that is derived from comments with the
// comments themselves.
package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Options say how a verification works.
type Options struct {
	// Rate bounds the read capacity units a second; 0 is without bound.
	Rate float64
	// Progress gets now and then how many items were looked at; may be nil.
	Progress func(items int64)
	// Patience is how long a product may differ, because writes go on or the
	// projector is behind, before that is reported.
	Patience time.Duration
	// Memory bounds about how many bytes are held of what is compared; 64 MiB if
	// zero. A table with more, which is one of several 100,000 products, is read again
	// for each part of them that takes as much: twice for twice as much, and so on, at
	// the same units each time.
	Memory int64
}

const defaultMemory = 64 << 20

// errFull ends a pass over the table whose share takes too much memory.
var errFull = errors.New("the products of this pass need too much memory")

// Verified is what a verification found.
type Verified struct {
	State       settings.State
	Comments    int64
	Derived     map[string]int64 // items of each kind that is counted, such as copies
	Differences []Difference     // none if all is well
}

// Difference is something that does not agree with the comments.
type Difference struct {
	About     string // of what it is: product, or user
	ProductID string // or the name of another one that About says
	What      string // a sentence without it
}

func (d Difference) String() string { return fmt.Sprintf("%s %q: %s", d.About, d.ProductID, d.What) }

// Run scans the table and lets everything that is derived compare itself. A
// product that differs is looked at again, by itself, until it agrees or the
// patience is over: a scan takes its time, and writes go on. It returns an
// Unavailable error if the store does not answer.
func Run(ctx context.Context, p *projector.Projector, o Options) (Verified, error) {
	ctx = table.Patiently(ctx)
	now, err := p.Settings().Read(ctx)
	if err != nil {
		return Verified{}, err
	}
	found := Verified{State: now.State, Derived: map[string]int64{}}
	if now.State != settings.StateKept {
		return found, nil
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	for share := index.WholeShare(o.Memory); share != nil; {
		err := found.pass(ctx, p, now, o, share)
		switch {
		case errors.Is(err, errFull):
			share = share.Half(o.Memory)
		case err != nil:
			return found, err
		default:
			share = share.Next(o.Memory)
		}
	}
	slices.SortStableFunc(found.Differences, func(a, b Difference) int {
		return slices.Compare([]string{a.ProductID}, []string{b.ProductID})
	})
	return found, nil
}

// pass compares a share. It returns errFull if that takes too much memory, and nothing
// was found then.
func (v *Verified) pass(ctx context.Context, p *projector.Projector, now settings.Settings, o Options,
	share *index.Share) error {
	var verifiers []index.Verifier
	for _, d := range p.Indexes() {
		verifiers = append(verifiers, d.Verifiers(now, share)...)
	}
	comments, err := scan(ctx, p.Table(), o, share, verifiers)
	if err != nil {
		return err
	}
	v.Comments += comments
	deadline := p.Table().Now().Add(o.Patience)
	for _, verifier := range verifiers {
		if kind, n := verifier.Count(); kind != "" {
			v.Derived[kind] += n
		}
		for _, subject := range verifier.Candidates() {
			differences, err := diff(ctx, p, verifier, subject, deadline)
			if err != nil {
				return err
			}
			for _, what := range differences {
				v.Differences = append(v.Differences, Difference{verifier.About(), subject, what})
			}
		}
	}
	return nil
}

// scan passes every item to every verifier, first of the table and then of the columns table,
// and returns how many are comments of the share. It reads whole items, which costs the same
// units.
func scan(ctx context.Context, t *table.Table, o Options, share *index.Share,
	verifiers []index.Verifier) (int64, error) {
	var comments atomic.Int64
	look := func(ctx context.Context, it table.Item) error {
		var comment *item.Stored
		if _, ok := key.CommentID(table.Text(it, key.PK)); ok && !item.IsDeleted(it) {
			read, err := item.Read(it, "")
			if err != nil {
				return err
			}
			comment = &read
			if share.Has(read.ProductID) {
				comments.Add(1)
			}
		}
		for _, v := range verifiers {
			if err := v.Observe(ctx, it, comment); err != nil {
				return err
			}
		}
		if share.Full() && !share.Single() {
			return errFull
		}
		return nil
	}
	for _, t := range []*table.Table{t, t.Columns()} {
		if err := t.NewScanner(table.ScanOptions{Rate: o.Rate, Progress: o.Progress}).Run(ctx, look); err != nil {
			return 0, err
		}
	}
	return comments.Load(), nil
}

// diff compares a subject with its comments until it agrees.
func diff(ctx context.Context, p *projector.Projector, v index.Verifier, subject string,
	deadline time.Time) ([]string, error) {
	for pause := p.Table().NewPause(); ; {
		now, err := p.Settings().Read(ctx)
		if err != nil {
			return nil, err
		}
		differences, err := v.Diff(ctx, now, subject)
		if err != nil || len(differences) == 0 || p.Table().Now().After(deadline) {
			return differences, err
		}
		if err := pause.Wait(ctx); err != nil {
			return nil, table.Failed("compare a "+v.About(), err)
		}
	}
}
