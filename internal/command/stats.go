package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/settings"
)

type statsCmd struct {
	Verify  verifyCmd  `cmd:"" help:"Compare the statistics with the comments. The exit status is ${exit_found} if they differ."`
	Rebuild rebuildCmd `cmd:"" help:"Count all comments again, while writes continue. Needed once for a table that is older than its statistics, and after a projector was off for a day."`
	Scoring scoringCmd `cmd:"" help:"Show or set the scoring of the leaderboard by score. A score is the average of a product's ratings and of some more ratings that have the mean. After a change all products are ranked again, and until this is complete the leaderboard is unavailable."`
}

// rateFlag limits the capacity that a scan of the whole table consumes.
type rateFlag struct {
	Rate float64 `help:"Maximum capacity units a second; 0 is no limit." default:"0" env:"RATE" placeholder:"UNITS"`
}

type verifyCmd struct {
	storeFlags
	rateFlag
	Patience time.Duration `help:"How long a product may differ because of concurrent writes or the projector's lag." default:"30s" placeholder:"TIME"`
}

// errDiffers ends a verification that found differences, which it has printed.
var errDiffers = errors.New("the statistics differ from the comments")

// Run compares the statistics with the comments and prints the differences.
func (v *verifyCmd) Run(ctx context.Context) error {
	return v.withStore(ctx, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "verify")
		found, err := verify.Run(ctx, opened.Projector(), verify.Options{Rate: v.Rate, Progress: bar.Set, Patience: v.Patience})
		bar.End(err == nil)
		if err != nil {
			return err
		}
		fmt.Print(backfillStatus(opened)(ctx)) // a verification does not compare unfinished indexes completely
		if found.State != settings.StateKept {
			state := cmp.Or(string(found.State), "the table is older than they are, or a projector never ran")
			fmt.Printf("The statistics are not maintained (%s), so there is nothing to compare.\n", state)
			return errDiffers
		}
		for _, d := range found.Differences {
			fmt.Println(d)
		}
		fmt.Printf("%s, %d copies: %s\n", progress.Counted(found.Comments, "comment"), found.Entries["copies"],
			progress.Counted(int64(len(found.Differences)+found.More), "difference"))
		if len(found.Differences) > 0 {
			fmt.Fprintln(os.Stderr, "If a projector is running and its lag is small, run product-comments stats rebuild")
			return errDiffers
		}
		return nil
	})
}

type rebuildCmd struct {
	storeFlags
	projectorFlags
	rateFlag
}

// Run rebuilds the statistics with a projector in this process, so that it needs no other one.
func (r *rebuildCmd) Run(ctx context.Context) error {
	return r.withStore(ctx, func(opened *openStore) error {
		if err := r.setPages(ctx, opened, r.logger()); err != nil {
			return err
		}
		projector := r.start(ctx, opened, nil, nil, r.logger())
		defer projector.stop()
		bar := beginProgress(ctx, opened.Store, "rebuild")
		err := projector.Rebuild(ctx, stream.RebuildOptions{Rate: r.Rate, Progress: bar.Step})
		bar.End(err == nil)
		return hintRerun(err)
	})
}

type scoringCmd struct {
	storeFlags
	rateFlag
	Mean   float64 `help:"The mean, which a product without ratings has as its score, 1 to 5; ${default_mean} unless it was set." placeholder:"RATING"`
	Weight int     `help:"How many ratings the mean counts as, 1 to ${max_weight}; ${default_weight} unless it was set." placeholder:"N"`
	Least  int     `help:"How many comments a product needs to be ranked, 1 to ${max_least}; ${default_least} unless it was set." placeholder:"N"`
}

// Run shows or sets the scoring, and ranks all products.
func (s *scoringCmd) Run(ctx context.Context) error {
	to := settings.Scoring{Mean: int(math.Round(1000 * s.Mean)), Weight: s.Weight, Least: s.Least}
	if err := to.Check(); err != nil {
		return err
	}
	return s.withStore(ctx, func(opened *openStore) error {
		now, err := opened.Settings().Read(ctx)
		if err == nil && to != (settings.Scoring{}) {
			bar := beginProgress(ctx, opened.Store, "scoring")
			err = opened.SetScoring(ctx, to, store.ScoringOptions{Rate: s.Rate, Progress: bar.Set})
			bar.End(err == nil)
			if err != nil {
				return hintRerun(err)
			}
			now, err = opened.Settings().Read(ctx)
		}
		if err != nil {
			return err
		}
		by := now.Scoring.OrDefault()
		fmt.Printf("products with %d comments or more are ranked by the average of their ratings and %d more ratings of %s\n", by.Least, by.Weight, formatMean(by))
		if now.Scored() != nil {
			fmt.Println("The leaderboard by score is unavailable, because not all products are ranked with this scoring: set the scoring again, or run product-comments stats rebuild.")
		}
		return nil
	})
}

func formatMean(s settings.Scoring) string {
	return strconv.FormatFloat(float64(s.Mean)/1000, 'f', -1, 64)
}
