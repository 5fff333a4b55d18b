package projector

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/settings"
)

// MarkBroken marks the statistics as wrong, since records of the stream were lost. They are not
// shown until they have been rebuilt. It returns an Unavailable error if the store does not
// answer.
func (p *Projector) MarkBroken(ctx context.Context) error { return p.markBroken(ctx, false) }

// markBroken leaves a rebuild alone that began not long ago, for what a stream
// has dropped is older; unless there is proof that it counted wrong.
func (p *Projector) markBroken(ctx context.Context, proven bool) error {
	_, err := p.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		young := p.t.Now().Sub(s.Rebuild.Began) < TrimAge
		if s.State == settings.StateBroken || s.State == settings.StateRebuilding && young && !proven {
			return false, nil
		}
		s.State = settings.StateBroken
		return true, nil
	})
	return err
}

// Prepare decides, before a projector reads the first record of a stream, whether the stream is
// complete: it is if the table and its statistics are younger than the stream's retention, or
// if the same stream was projected before. It returns the settings, whose state is StateBroken
// if only a rebuild helps, and an Unavailable error if the store does not answer.
func (p *Projector) Prepare(ctx context.Context, stream string) (settings.Settings, error) {
	return p.settings.Change(ctx, func(s *settings.Settings) (bool, error) {
		before := *s
		switch s.State {
		case settings.StateUnknown:
			s.State = settings.StateBroken
			empty, err := p.t.EmptyIndex(ctx, key.All.Name)
			if err != nil {
				return false, err
			}
			if empty {
				s.State, s.Created = settings.StateKept, p.t.Now().UTC()
			}
		case settings.StateNew:
			s.State = settings.StateBroken
			if p.t.Now().Sub(s.Created) < TrimAge {
				s.State = settings.StateKept
			}
		case settings.StateKept, settings.StateRebuilding:
			if s.Stream != stream {
				s.State = settings.StateBroken // another stream: what came between is not known
			}
		}
		if s.State == settings.StateKept {
			s.Stream = stream
		}
		return s.State != before.State || s.Stream != before.Stream, nil
	})
}

// MayHaveLost reports whether records of the shard may be lost that were not
// projected, if the stream no longer has what follows: nothing before a rebuild,
// nor before the table was made, matters.
func (p *Projector) MayHaveLost(sh *Shard, s settings.Settings) bool {
	until := sh.knownUntil()
	if s.Rebuild.Began.After(until) {
		until = s.Rebuild.Began
	}
	if s.Created.After(until) {
		until = s.Created
	}
	return p.t.Now().Sub(until) > TrimAge
}
