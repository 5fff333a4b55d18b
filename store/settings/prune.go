package settings

import (
	"context"
	"errors"
	"time"

	"product-comments/store/errs"
	"product-comments/store/table"
)

// errPruned says that a dictionary is not there any more, since nothing needed it.
var errPruned = errors.New("it was removed because no text was compressed with it")

// Settled is how long after a dictionary was made no process writes with the one before:
// far longer than it takes to hear of it, and than a write is tried again.
const Settled = time.Hour

// Prunable returns the dictionaries that no process writes with any more, oldest first. It
// returns a Conflict error while the one in use is so young that a process may, and
// Unavailable if the store does not answer.
func (s *Store) Prunable(ctx context.Context) (versions []int, err error) {
	now, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	for version := 1; version <= now.Dictionary; version++ {
		it, err := s.t.Get(ctx, "a dictionary of texts", dictionaryKey(version))
		if err != nil {
			return nil, err
		}
		if version < now.Dictionary {
			if table.Bytes(it, attrDictionary) != nil {
				versions = append(versions, version)
			}
			continue
		}
		made, err := table.Number(it, attrMade)
		if err != nil {
			return nil, err
		}
		if until := time.Unix(int64(made), 0).Add(Settled); s.t.Now().Before(until) {
			return nil, errs.Errorf(errs.Conflict, "Dictionary %d is younger than an hour, so servers may still write with the previous one: try again after %s", version, until.UTC().Format(time.RFC3339))
		}
	}
	return versions, nil
}

// Prune removes a dictionary that Prunable returned, and that nothing is packed with. It
// returns an Unavailable error if the store does not answer.
func (s *Store) Prune(ctx context.Context, version int) error {
	it := dictionaryKey(version)
	it[attrPruned] = table.Bool(true)
	return s.t.Write(ctx, "remove a dictionary", table.Write{Put: it})
}
