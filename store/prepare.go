package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/store/errs"
)

// MarkBroken notes that records of the stream were lost, so that the statistics
// are not those of the comments. Nobody is shown them until they have been
// rebuilt. It returns an Unavailable error if the store does not answer.
func (s *Store) MarkBroken(ctx context.Context) error { return s.markBroken(ctx, false) }

// markBroken leaves a rebuild alone that began not long ago, for what a stream
// has dropped is older; unless there is proof that it counted wrong.
func (s *Store) markBroken(ctx context.Context, proven bool) error {
	_, err := s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		young := s.now().Sub(m.rebuilt) < trimAge
		if m.State == StateBroken || m.State == StateRebuilding && young && !proven {
			return false, nil
		}
		m.State = StateBroken
		return true, nil
	})
	return err
}

// PrepareStatistics settles, before a projector reads the first record of a
// stream, whether the stream tells everything: it does if the table and its
// statistics are as old as what the stream keeps, or if the same stream was
// projected before. It returns the state, which is StateBroken if only a
// rebuild helps, and an Unavailable error if the store does not answer.
func (s *Store) PrepareStatistics(ctx context.Context, stream string) (Meta, error) {
	return s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		before := *m
		switch m.State {
		case StateUnknown:
			m.State = StateBroken
			empty, err := s.Empty(ctx)
			if err != nil {
				return false, err
			}
			if empty {
				m.State = StateKept
			}
		case StateNew:
			m.State = StateBroken
			if s.now().Sub(m.Created) < trimAge {
				m.State = StateKept
			}
		case StateKept, StateRebuilding:
			if m.Stream != stream {
				m.State = StateBroken // another stream: nobody knows what came between
			}
		}
		if m.State == StateKept {
			m.Stream = stream
		}
		return m.State != before.State || m.Stream != before.Stream, nil
	})
}

// StreamARN returns the name of the table's stream.
func (s *Store) StreamARN(ctx context.Context) (string, error) {
	table, err := s.describe(ctx)
	if err != nil {
		return "", failed("describe the table", err)
	}
	if arn := aws.ToString(table.LatestStreamArn); arn != "" {
		return arn, nil
	}
	return "", errs.Errorf(errs.Internal, "table %q has no stream", s.table)
}
