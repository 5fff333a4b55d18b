package settings

import (
	"cmp"
	"fmt"

	"product-comments/store/errs"
)

// Scoring has the parameters of the ranking of products by score, see ranking.Score. A field of 0
// is not set.
type Scoring struct {
	Mean   int // assumed mean rating, in thousandths
	Weight int // number of assumed comments with the mean rating
	Least  int // least number of comments of a ranked product, or of a language of it
}

// DefaultScoring has the values of unset fields.
var DefaultScoring = Scoring{Mean: 3500, Weight: 10, Least: 5}

// Upper limits of Weight and Least. Scores are exact up to them.
const (
	MaxScoringWeight = 1_000_000
	MaxScoringLeast  = 1_000_000
)

// Check returns an error if a field is outside its limits.
func (s Scoring) Check() error {
	switch {
	case s.Mean != 0 && (s.Mean < 1000 || s.Mean > 5000):
		return fmt.Errorf("the mean is %g; it may be 1 to 5", float64(s.Mean)/1000)
	case s.Weight < 0 || s.Weight > MaxScoringWeight:
		return fmt.Errorf("the weight is %d; it may be 1 to %d", s.Weight, MaxScoringWeight)
	case s.Least < 0 || s.Least > MaxScoringLeast:
		return fmt.Errorf("the least number of comments is %d; it may be 1 to %d", s.Least, MaxScoringLeast)
	}
	return nil
}

// Or returns the scoring with unset fields taken from another one.
func (s Scoring) Or(d Scoring) Scoring {
	return Scoring{cmp.Or(s.Mean, d.Mean), cmp.Or(s.Weight, d.Weight), cmp.Or(s.Least, d.Least)}
}

// OrDefault returns the scoring with unset fields taken from DefaultScoring.
func (s Scoring) OrDefault() Scoring { return s.Or(DefaultScoring) }

// Scored returns an Unavailable error unless all entries of the leaderboard by score follow the
// current scoring.
func (s Settings) Scored() error {
	if s.Ranked > 0 && s.Ranked == s.Scorings {
		return nil
	}
	return errs.Errorf(errs.Unavailable, "The leaderboard by score is being built, try again later: if this persists, its operator can run product-comments stats scoring")
}
