package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// RebuildOptions say how a rebuild works.
type RebuildOptions struct {
	// Rate bounds the capacity units a second, of reads and writes together; 0
	// is without bound.
	Rate float64
	// Progress gets now and then how many items were looked at, first while
	// comments are touched, then while obsolete items are removed; may be nil.
	Progress func(step string, items int64)
}

// ErrOtherRebuild says that another process rebuilds the statistics.
var ErrOtherRebuild = errors.New("another process rebuilds the statistics")

// errSilent says that another process rebuilds the statistics or has given up: it was
// silent for long, or its clock is wrong.
var errSilent = fmt.Errorf("%w, or has given up", ErrOtherRebuild)

// The rebuild that is under way, in the settings: whose it is, and when it last
// said so, by its own clock. One that was silent for rebuildLease, by that of the process
// that watches it, is given up.
const (
	rebuildLease = time.Minute
	rebuildBeat  = 10 * time.Second
)

// Rebuild derives everything again while writes go on. It begins a new
// generation, in which only what was written or touched since counts, and
// touches every comment: the record of the touch makes it count, at its place
// among the records of other changes, exactly once. What was not made again then
// is obsolete, and removed. Until the end statistics are not shown.
//
// Run must be under way. A rebuild that was interrupted is taken up again;
// comments that it touched are not touched twice. It returns ErrOtherRebuild if
// another process is at it, and an Unavailable error if the store does not answer.
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
	go func() { // waited for below
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

// rebuild touches all comments, waits until they are projected, and removes what
// is obsolete.
func (c *Consumer) rebuild(ctx context.Context, generation int, o RebuildOptions) error {
	// Writers that do not know of the generation yet write comments that this
	// scan may miss. The projector would touch them, but a page could trust a
	// zero in the meantime.
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

// finish writes what would be written later otherwise, so that readers after the
// rebuild finds all of it.
func (c *Consumer) finish(ctx context.Context) (written int, err error) {
	for _, x := range index.Indexes[index.Finisher](c.projector.Engine()) {
		n, err := x.Finish(ctx)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// eventually is how long it may take until reads that are not strongly
// consistent, and indexes, show what was written last: DynamoDB says within a
// second, usually.
const eventually = 2 * time.Second

func (o RebuildOptions) scan(step string) table.ScanOptions {
	s := table.ScanOptions{Rate: o.Rate, Attributes: []string{key.PK, key.SK, item.AttrGeneration,
		item.AttrDeleted, item.AttrBallot, item.AttrBorn}}
	if o.Progress != nil {
		s.Progress = func(items int64) { o.Progress(step, items) }
	}
	return s
}

func (c *Consumer) touchAll(ctx context.Context, generation int, o RebuildOptions) error {
	sc := c.table.NewScanner(o.scan("touching comments"))
	return sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		pk := table.Text(it, key.PK)
		if _, ok := key.CommentID(pk); !ok || item.IsDeleted(it) {
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

// intent is what a claim is for: a rebuild, one of another process that has given it up,
// or that ours continues.
type intent int

const (
	begin intent = iota
	takeOver
	keep
)

// claimed is what another process said last of its rebuild.
type claimed struct {
	by string
	at int64
}

// claim makes a rebuild ours, a new one or one that was given up.
func (c *Consumer) claim(ctx context.Context, us, stream string, to intent) (settings.Settings, error) {
	return c.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		ours := s.Rebuild.By == us
		if s.State == settings.StateRebuilding && !ours {
			watched := c.claims.Alone(c.now(), claimed{s.Rebuild.By, s.Rebuild.At.UnixNano()})
			silent := c.now().Sub(s.Rebuild.At)
			switch {
			case to != keep && watched >= rebuildLease: // it is given up
			case to != keep && (silent < 0 || silent >= rebuildLease):
				return false, errSilent
			default:
				return false, ErrOtherRebuild
			}
		}
		if s.State != settings.StateRebuilding {
			if to != begin || ours && s.State == settings.StateBroken { // it was broken while we were at it
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

// keepClaim renews the claim until the context ends, or ends it if the rebuild
// was taken over.
func (c *Consumer) keepClaim(ctx context.Context, us, stream string, cancel context.CancelCauseFunc) {
	for table.Sleep(ctx, rebuildBeat) == nil {
		if _, err := c.claim(ctx, us, stream, keep); errors.Is(err, ErrOtherRebuild) {
			cancel(err)
			return
		}
	}
}

// endRebuild makes the rebuilt statistics current, unless the table has another stream than the
// one that they were counted from.
func (c *Consumer) endRebuild(ctx context.Context, us string) error {
	stream, err := c.table.StreamARN(ctx)
	if err != nil {
		return err
	}
	_, err = c.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		if s.State == settings.StateKept && s.Rebuild.By == us { // our own write, whose answer was lost
			return false, nil
		}
		if s.State != settings.StateRebuilding || s.Rebuild.By != us {
			return false, ErrOtherRebuild
		}
		if s.EndRebuild(sortable.Weights()); s.Stream != stream { // it was replaced in the meantime
			s.State = settings.StateBroken
		}
		return true, nil
	})
	return err
}
