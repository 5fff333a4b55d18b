package projector

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/settings"
)

// MarkBroken marks the statistics as broken because records of the stream were lost. They are not
// shown until they have been rebuilt.
func (p *Projector) MarkBroken(ctx context.Context) error { return p.markBroken(ctx, false) }

// markBroken does not interrupt a rebuild that began less than TrimAge ago, since the lost records
// are older. It does if the counts are proven wrong.
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
// complete: it is if the table and its statistics are younger than the stream's retention, or if
// the same stream was projected before. It returns the settings, with StateBroken if a rebuild is
// needed.
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
				s.State = settings.StateBroken // another stream: changes between the two are lost
			}
		}
		if s.State == settings.StateKept {
			s.Stream = stream
		}
		return s.State != before.State || s.Stream != before.Stream, nil
	})
}

// MayHaveLost reports whether unprojected records of the shard may be lost, if the stream has
// dropped the records after its offset. Records from before the last rebuild or the creation of the
// table do not matter.
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
