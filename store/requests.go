package store

import (
	"context"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
)

// Requests returns the review requests of orders.
func (s *Store) Requests() *requests.Requests { return s.requests }

// RequestSender returns a sender of review requests. send sends a message; nil if only events leave.
func (s *Store) RequestSender(p requests.Policy, send func(context.Context, *requests.Asking) error, log *slog.Logger) *requests.Sender {
	return requests.NewSender(s.requests, requests.Options{Policy: p, Send: send, Order: s.orders.Asked, Answered: s.answered, Log: log,
		Idle: func(ctx context.Context) (bool, error) { // no message could leave
			wanted, err := s.outbox.Want(ctx, outbox.RequestDue)
			return send == nil && !wanted, err
		}})
}

// answered returns which of some products a person has commented on, also if an invitation's comment
// was deleted since: it cannot be written again.
func (s *Store) answered(ctx context.Context, subject string, products []string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, product := range products {
		places, _, err := s.authors.About(ctx, subject, product, 1)
		if err != nil {
			return nil, err
		}
		before, err := "", error(nil)
		if len(places) == 0 {
			before, err = s.invitedBefore(ctx, subject, product)
		}
		if err != nil {
			return nil, err
		}
		if len(places) > 0 || before != "" {
			found[product] = true
		}
	}
	return found, nil
}

// AnsweredCounts returns for each of some orders how many of its products its buyer has commented on;
// 0 for nil.
func (s *Store) AnsweredCounts(ctx context.Context, of []*orders.Order) ([]int, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	counts := make([]int, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(wroteReaders)
	for i, o := range of {
		if o == nil {
			continue
		}
		group.Go(func() error {
			found, err := s.answered(ctx, o.Username, o.Products())
			counts[i] = len(found)
			return err
		})
	}
	return counts, group.Wait()
}
