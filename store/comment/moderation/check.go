package moderation

import (
	"context"
	"strconv"
	"time"

	"product-comments/store/comment/item"
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
func (m *Moderation) Check(ctx context.Context, c *item.Comment, addresses func(attribute string) bool,
	now time.Time) (v Verdict, err error) {
	mode, err := m.ModeOf(ctx, c.ProductID)
	if err != nil {
		return v, err
	}
	v.Why = m.why(mode, c, addresses)
	if mode != Post || m.o.Rules.Pace == 0 || c.Owner == "" {
		return v, nil
	}
	p, err := m.readPace(ctx, c.Owner, key.PaceSK, now)
	if err != nil {
		return v, err
	}
	if v.Code == "" && len(p.times) >= m.o.Rules.Pace {
		v.Why = item.Why{Code: item.HeldByPace, Reason: strconv.Itoa(m.o.Rules.Pace)}
	}
	v.Writes = append(v.Writes, m.writePace(c.Owner, key.PaceSK, p, m.o.Rules.Pace, now))
	return v, nil
}

// CheckEdit checks a published comment that its owner has changed.
func (m *Moderation) CheckEdit(ctx context.Context, c *item.Comment,
	addresses func(attribute string) bool) (why item.Why, err error) {
	mode, err := m.ModeOf(ctx, c.ProductID)
	if err != nil {
		return why, err
	}
	if why = m.why(mode, c, addresses); why.Code == item.HeldByMode {
		why.Code = item.HeldByEdit
	}
	return why, nil
}

func (m *Moderation) why(mode Mode, c *item.Comment, addresses func(attribute string) bool) (why item.Why) {
	if mode == Off {
		return why
	}
	if why = m.o.Rules.Violation(c, addresses); why.Code == "" && mode == Pre {
		why.Code = item.HeldByMode
	}
	return why
}

// holds are the English sentences for the codes of pending comments.
var holds = map[item.Code]string{
	item.HeldByMode:       "it is new",
	item.HeldByEdit:       "it was edited",
	item.HeldByReports:    "it was reported",
	item.HeldByLink:       "it has a link",
	item.HeldByWord:       "it has a blocked word",
	item.HeldByPace:       "its author wrote more comments within an hour than the limit",
	item.HeldByCharacters: "it has too many characters, such as ligatures, that stand for several others",
}

// Sentence returns an English sentence for moderators about the reason why a comment waits.
func Sentence(why item.Why) string {
	says := holds[why.Code]
	if says != "" && why.Reason != "" {
		says += ": "
	}
	return says + why.Reason
}
