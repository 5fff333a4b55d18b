package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// RebuildOptions are options of a rebuild.
type RebuildOptions struct {
	// Rate bounds the capacity units a second, of reads and writes together; 0 for no bound.
	Rate float64
	// Progress, unless nil, is called regularly with the step and the number of items that it has
	// scanned. The first step touches comments, the second one removes obsolete items.
	Progress func(step string, items int64)
}

// ErrOtherRebuild says that another process is rebuilding the statistics.
var ErrOtherRebuild = errors.New("another process rebuilds the statistics")

// errSilent says that another process is rebuilding the statistics, but has not renewed its claim
// for long: it has died, or its clock is wrong.
var errSilent = fmt.Errorf("%w, or has given up", ErrOtherRebuild)

// The settings have the claim of the process that rebuilds, and the time when it last renewed the
// claim, by its own clock, every rebuildBeat. Another process may take over if it has not seen a
// renewal for rebuildLease, by its own clock.
const (
	rebuildLease = time.Minute
	rebuildBeat  = 10 * time.Second
)

// Rebuild writes all indexes again, during writes of clients. It begins a new generation, which
// counts only comments that were written or touched since, and touches every comment. The record of
// a touch is in order with the records of other changes, so each comment counts exactly once. Then
// Rebuild removes obsolete items, which have an older generation. Statistics are not shown until it
// ends.
//
// Run must be under way. Rebuild continues an interrupted rebuild, and does not touch comments
// twice. It returns ErrOtherRebuild if another process is rebuilding.
func (c *Consumer) Rebuild(ctx context.Context, o RebuildOptions) error {
	ctx = table.Patiently(ctx)
	stream, err := c.table.StreamARN(ctx)
	if err != nil {
		return err
	}
	us := ulid.MustNew(ulid.Timestamp(c.now()), c.table.Random()).String()
	now, err := c.claim(ctx, us, stream, begin)
	for waited := time.Duration(0); errors.Is(err, errSilent) && waited < rebuildLease; waited += rebuildBeat {
		if err := table.Sleep(ctx, rebuildBeat); err != nil {
			return err
		}
		now, err = c.claim(ctx, us, stream, takeOver)
	}
	if err != nil {
		return err
	}
	c.o.Log.Info("rebuilding the statistics", "generation", now.Generation)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	beating := make(chan struct{})
	go func() { // ends below, with beating
		defer close(beating)
		c.keepClaim(ctx, us, stream, cancel)
	}()
	err = c.rebuild(ctx, now.Generation, o)
	if err == nil {
		err = c.endRebuild(ctx, us)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	cancel(nil)
	<-beating
	if err == nil {
		c.o.Log.Info("rebuilt the statistics", "generation", now.Generation)
	}
	return err
}

// rebuild touches all comments, waits until they are projected, and removes obsolete items.
func (c *Consumer) rebuild(ctx context.Context, generation int, o RebuildOptions) error {
	// Writers that do not know the generation yet may write comments that the scan misses. The
	// projector would touch them later, but until then readers could trust counts without them.
	if err := table.Sleep(ctx, c.settings.SettleTime()); err != nil {
		return err
	}
	if err := c.touchAll(ctx, generation, o); err != nil {
		return err
	}
	if err := c.Wait(ctx); err != nil {
		return err
	}
	if err := c.removeObsolete(ctx, generation, o); err != nil {
		return err
	}
	if err := table.Sleep(ctx, eventually); err != nil {
		return err
	}
	written, err := c.finish(ctx)
	if err != nil || written == 0 {
		return err
	}
	return table.Sleep(ctx, eventually)
}

// finish makes the deferred writes of indexes, so that readers find all of them after the rebuild.
func (c *Consumer) finish(ctx context.Context) (written int, err error) {
	for _, x := range index.Indexes[index.Finisher](c.projector.Engine()) {
		n, err := x.Finish(ctx)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// eventually is the time after which eventually consistent reads and DynamoDB's indexes show the
// last writes. DynamoDB documents a second or less, usually.
const eventually = 2 * time.Second

func (o RebuildOptions) scan(step string) table.ScanOptions {
	s := table.ScanOptions{Rate: o.Rate, Attributes: []string{key.PK, key.SK, item.AttrGeneration,
		item.AttrBallot, item.AttrBorn}}
	if o.Progress != nil {
		s.Progress = func(items int64) { o.Progress(step, items) }
	}
	return s
}

func (c *Consumer) touchAll(ctx context.Context, generation int, o RebuildOptions) error {
	sc := c.table.NewScanner(o.scan("touching comments"))
	return sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		pk := table.Text(it, key.PK)
		if _, ok := key.CommentID(pk); !ok {
			return nil
		}
		of, err := table.Number(it, item.AttrGeneration)
		if err != nil || of >= generation {
			return err
		}
		if err := sc.Spend(ctx, 1); err != nil {
			return err
		}
		return c.projector.Touch(ctx, pk, generation)
	})
}

func (c *Consumer) removeObsolete(ctx context.Context, generation int, o RebuildOptions) error {
	for _, in := range []key.Index{key.Table, key.Columns} {
		t := c.table
		if in == key.Columns {
			t = t.Columns()
		}
		sc := t.NewScanner(o.scan("removing obsolete items"))
		err := sc.Run(ctx, func(ctx context.Context, it table.Item) error {
			for _, x := range index.Indexes[index.Sweeper](c.projector.Engine()) {
				units, err := x.Sweep(ctx, it)
				if err == nil && units > 0 {
					err = sc.Spend(ctx, units)
				}
				if err != nil {
					return err
				}
			}
			w, ok := c.projector.Engine().Obsolete(it, in, generation)
			if !ok {
				return nil
			}
			if err := sc.Spend(ctx, 1); err != nil {
				return err
			}
			err := c.table.Write(ctx, "remove an obsolete item", w)
			if _, newer := table.IsRefused(err); newer {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// intent is the purpose of a claim: to begin a rebuild, to take over an abandoned one, or to keep
// the own one.
type intent int

const (
	begin intent = iota
	takeOver
	keep
)

// claimed is the last claim of another process.
type claimed struct {
	by string
	at int64
}

// claim claims a rebuild for this process, or renews its claim.
func (c *Consumer) claim(ctx context.Context, us, stream string, to intent) (settings.Settings, error) {
	return c.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		ours := s.Rebuild.By == us
		if s.State == settings.StateRebuilding && !ours {
			watched := c.claims.Alone(c.now(), claimed{s.Rebuild.By, s.Rebuild.At.UnixNano()})
			silent := c.now().Sub(s.Rebuild.At)
			switch {
			case to != keep && watched >= rebuildLease: // the other process has abandoned it
			case to != keep && (silent < 0 || silent >= rebuildLease):
				return false, errSilent
			default:
				return false, ErrOtherRebuild
			}
		}
		if s.State != settings.StateRebuilding {
			if to != begin || ours && s.State == settings.StateBroken { // it was marked as broken during our rebuild
				return false, ErrOtherRebuild
			}
			s.State, s.Stream = settings.StateRebuilding, stream
			s.Generation++
			s.Rebuild.Began = c.now()
		}
		s.Rebuild.By, s.Rebuild.At = us, c.now()
		return true, nil
	})
}

// keepClaim renews the claim until the context ends. It cancels the context if another process took
// over.
func (c *Consumer) keepClaim(ctx context.Context, us, stream string, cancel context.CancelCauseFunc) {
	for table.Sleep(ctx, rebuildBeat) == nil {
		if _, err := c.claim(ctx, us, stream, keep); errors.Is(err, ErrOtherRebuild) {
			cancel(err)
			return
		}
	}
}

// endRebuild makes the rebuilt statistics current, unless the table has another stream than at the
// beginning.
func (c *Consumer) endRebuild(ctx context.Context, us string) error {
	stream, err := c.table.StreamARN(ctx)
	if err != nil {
		return err
	}
	_, err = c.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		if s.State == settings.StateKept && s.Rebuild.By == us { // our own write with a lost answer
			return false, nil
		}
		if s.State != settings.StateRebuilding || s.Rebuild.By != us {
			return false, ErrOtherRebuild
		}
		if s.EndRebuild(sortable.Weights()); s.Stream != stream { // the stream was replaced during the rebuild
			s.State = settings.StateBroken
		}
		return true, nil
	})
	return err
}
