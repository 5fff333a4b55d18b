package moderation

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Verdict is what becomes of a comment that a user wrote or changed: shown if Reason is
// empty. Writes are to be made in the transaction of the comment.
type Verdict struct {
	Reason string
	Writes []table.Write
}

// Judge decides about a comment that is about to be written by its owner, or by whom it
// has not. Addresses says which attributes may hold web addresses. It returns an Unavailable error if the store does not answer.
func (m *Moderation) Judge(ctx context.Context, c *item.Comment, addresses func(attribute string) bool,
	now time.Time) (v Verdict, err error) {
	mode, err := m.ModeOf(ctx, c.ProductID)
	if err != nil {
		return v, err
	}
	v.Reason = m.reason(mode, c, addresses)
	if mode != Post || m.o.Rules.Pace == 0 || c.Owner == "" {
		return v, nil
	}
	p, err := m.readPace(ctx, c.Owner, key.PaceSK, now)
	if err != nil {
		return v, err
	}
	if v.Reason == "" && len(p.times) >= m.o.Rules.Pace {
		v.Reason = fmt.Sprintf("its author wrote more than %d comments within an hour", m.o.Rules.Pace)
	}
	v.Writes = append(v.Writes, m.writePace(c.Owner, key.PaceSK, p, m.o.Rules.Pace, now))
	return v, nil
}

// JudgeEdit decides about a comment that is published and was changed by its owner. It
// returns an Unavailable error if the store does not answer.
func (m *Moderation) JudgeEdit(ctx context.Context, c *item.Comment,
	addresses func(attribute string) bool) (reason string, err error) {
	mode, err := m.ModeOf(ctx, c.ProductID)
	if err != nil {
		return "", err
	}
	if reason = m.reason(mode, c, addresses); reason == ReasonNew {
		reason = ReasonEdited
	}
	return reason, nil
}

// Why comments wait for a moderator that no rule sent.
const (
	ReasonNew      = "it is new"
	ReasonEdited   = "it was edited"
	ReasonReported = "it was reported"
)

func (m *Moderation) reason(mode Mode, c *item.Comment, addresses func(attribute string) bool) string {
	if mode == Off {
		return ""
	}
	reason := m.o.Rules.Violation(c, addresses)
	if reason == "" && mode == Pre {
		reason = ReasonNew
	}
	return reason
}
