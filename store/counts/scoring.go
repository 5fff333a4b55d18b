package counts

import (
	"context"
	"time"

	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// ScoringOptions say how a change of the scoring works.
type ScoringOptions struct {
	Rate     float64           // most capacity units a second; 0 is without bound
	Progress func(items int64) // is called now and then with how many items were looked at; may be nil
}

// SetScoring changes how products are ranked by score; what is 0 stays as it is. From before
// the first entry is written again until after the last, that leaderboard is unavailable. It
// may be stopped at any time: to call it again makes all. It returns a Conflict error if the
// statistics are being rebuilt or another process changes the scoring, and Unavailable if the
// store does not answer.
func (s *Statistics) SetScoring(ctx context.Context, to settings.Scoring, o ScoringOptions) error {
	ctx = table.Patiently(ctx)
	now, err := s.settings.Read(ctx)
	if err != nil {
		return err
	}
	is := now.Scoring.OrDefault()
	if to = to.Or(is); to == is && now.Scored() == nil {
		return nil
	}
	// Every process stops reading the leaderboard, and then writes the new scores.
	if _, err := s.changeScoring(ctx, func(now *settings.Settings) { now.Ranked = 0 }); err != nil {
		return err
	}
	now, err = s.changeScoring(ctx, func(now *settings.Settings) {
		now.Scoring, now.Ranked = to, 0
		now.Scorings++
	})
	if err != nil {
		return err
	}
	ours := now.Scorings
	if err := s.rankAll(ctx, o); err != nil {
		return err
	}
	if err := table.Sleep(ctx, indexLag); err != nil {
		return table.Failed("change the scoring", err)
	}
	_, err = s.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
		if now.Scorings != ours {
			return false, errs.Errorf(errs.Conflict, "Another process has changed the scoring since: read the scoring, and set it again if necessary")
		}
		changes := now.Ranked != ours
		now.Ranked = ours
		return changes, nil
	})
	return err
}

// indexLag is how long it may take until an index shows what was written last: DynamoDB says
// within a second, usually.
const indexLag = 2 * time.Second

// changeScoring changes the settings and waits until every process knows them.
func (s *Statistics) changeScoring(ctx context.Context, change func(*settings.Settings)) (settings.Settings, error) {
	now, err := s.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
		if now.State == settings.StateRebuilding {
			return false, errs.Errorf(errs.Conflict, "The statistics are being rebuilt: set the scoring once that has ended")
		}
		change(now)
		return true, nil
	})
	if err != nil {
		return now, err
	}
	return now, table.Failed("change the scoring", table.Sleep(ctx, s.settings.SettleTime()))
}

// rankAll writes the entries of all products whose score is another one, by the scoring as
// it is by then.
func (s *Statistics) rankAll(ctx context.Context, o ScoringOptions) error {
	sc := s.t.NewScanner(table.ScanOptions{Rate: o.Rate, Progress: o.Progress})
	return sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		scope, ok := scopeOf(it)
		if !ok {
			return nil
		}
		read, err := parse(scope, it)
		if err != nil {
			return err
		}
		return s.t.Race(ctx, "rank a product", func() error {
			now, err := s.settings.Recent(ctx)
			if err != nil || scoreOf(now.Scoring, read.Tally) == read.score {
				return err
			}
			if err := sc.Spend(ctx, unitsOfRank); err != nil {
				return table.Failed("rank a product", err)
			}
			read.placed = time.Time{} // so it is due
			err = s.writePlaceOf(ctx, scope, read, now.Scoring)
			if _, changed := table.IsRefused(err); changed {
				again, err := s.read(ctx, []stats.Scope{scope}, true)
				if err != nil {
					return err
				}
				read = again[scope]
			}
			return err
		})
	})
}

// unitsOfRank is what an entry that is written again costs: with its statistics, and in the
// index.
const unitsOfRank = 6
