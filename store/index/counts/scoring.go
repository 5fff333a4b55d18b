package counts

import (
	"context"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// ScoringOptions configure SetScoring.
type ScoringOptions struct {
	Rate     float64           // maximum capacity units a second; 0 for no limit
	Progress func(items int64) // is called from time to time with the number of scanned items; may be nil
}

// SetScoring changes the ranking of products by score; zero fields of to stay unchanged. The
// leaderboard by score is unavailable while its entries are written. SetScoring may be stopped at
// any time: the next call writes all entries again. It returns a Conflict error if the statistics
// are being rebuilt or another process changes the scoring.
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
	// All processes stop reading the leaderboard before any process writes new scores.
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

// indexLag is the time after which an index shows the last write. DynamoDB says it is usually less
// than a second.
const indexLag = 2 * time.Second

// changeScoring changes the settings and waits until every process has read them.
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

// rankAll writes the entries of all products with a changed score, by the current scoring.
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

// unitsOfRank is the cost of writing an entry again, with its statistics and in the index.
const unitsOfRank = 6
