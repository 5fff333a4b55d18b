package cases

import (
	"context"
	"strconv"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Verdict is the result of checking a comment that a user wrote: the comment is published if Why is
// empty, otherwise it waits for a moderator. Writes belong into the transaction of the comment.
type Verdict struct {
	item.Why
	Writes []table.Write
}

// Check checks a new comment by the mode of its product and the rules. addresses reports whether an
// attribute may hold web addresses.
func (s *Cases) Check(ctx context.Context, c *item.Comment, addresses func(attribute string) bool,
	now time.Time) (v Verdict, err error) {
	mode, err := s.ModeOf(ctx, c.ProductID)
	if err != nil {
		return v, err
	}
	v.Why = s.why(mode, c, nil, addresses)
	if mode != moderation.Post || s.o.Rules.Pace == 0 || c.Owner == "" {
		return v, nil
	}
	p, err := s.readPace(ctx, c.Owner, key.PaceSK, now)
	if err != nil {
		return v, err
	}
	if v.Code == "" && len(p.times) >= s.o.Rules.Pace {
		v.Why = item.Why{Code: item.HeldByPace, Reason: strconv.Itoa(s.o.Rules.Pace)}
	}
	v.Writes = append(v.Writes, s.writePace(c.Owner, key.PaceSK, p, s.o.Rules.Pace, now))
	return v, nil
}

// CheckEdit checks a published comment that its owner has changed from before.
func (s *Cases) CheckEdit(ctx context.Context, before, c *item.Comment,
	addresses func(attribute string) bool) (why item.Why, err error) {
	mode, err := s.ModeOf(ctx, c.ProductID)
	if err != nil {
		return why, err
	}
	if why = s.why(mode, c, before.Photos, addresses); why.Code == item.HeldByMode {
		why.Code = item.HeldByEdit
	}
	return why, nil
}

func (s *Cases) why(mode moderation.Mode, c *item.Comment, seen []item.Photo, addresses func(attribute string) bool) (why item.Why) {
	if mode == moderation.Off {
		return why
	}
	if why = s.o.Rules.Violation(c, seen, addresses); why.Code == "" && mode == moderation.Pre {
		why.Code = item.HeldByMode
	}
	return why
}
