package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/table"
)

// Format is the number of what this version keeps in a table, which docs/design.md lists.
// A change of that is a new number, with a step of an upgrade that takes a table there.
const Format = 2

// FormatError says that a table is of a format that this process cannot serve.
type FormatError struct {
	Table  string
	Format int // of the table
	Newest int // that the process knows
}

// Error says what to do.
func (e *FormatError) Error() string {
	if e.Format > e.Newest {
		return fmt.Sprintf("table %q has format %d, and this version of the program knows no format above %d: run the version that upgraded the table, or a later one", e.Table, e.Format, e.Newest)
	}
	return fmt.Sprintf("table %q has format %d, and this version of the program serves formats %d and %d: run its product-comments table upgrade --apply first", e.Table, e.Format, e.Newest-1, e.Newest)
}

// Newest returns the newest format that this process knows.
func (s *Store) Newest() int { return s.newest }

// readable returns an error if a table is of a newer format than this process knows.
func (s *Store) readable(now Settings) error {
	if now.Format <= s.newest {
		return nil
	}
	return errs.Wrap(errs.Unavailable, &FormatError{s.t.Name(), now.Format, s.newest},
		"The service is being upgraded, try again later")
}

// Served returns a FormatError if servers of this version cannot serve a table with these
// settings: they know their own format and the one before.
func (s *Store) Served(now Settings) error {
	if now.Format >= s.newest-1 || now.Revision == 0 {
		return nil
	}
	return &FormatError{s.t.Name(), now.Format, s.newest}
}

// known are the attributes of the item that this version writes.
var known = []string{
	attrFormat, attrUpgrade, attrState, attrGeneration, attrRevision, attrStream, attrCreated, attrPowerSets,
	attrDictionary, attrPagesFrom, attrAttributes, attrModerated, attrWeights, attrMean, attrWeight, attrLeast, attrScorings,
	attrRanked, attrRebuilder, attrRebuildAt, attrRebuilt,
}

// unknown returns the attributes of the item that a later version wrote.
func unknown(it table.Item) table.Item {
	it = maps.Clone(it)
	for name := range table.Primary(it) {
		delete(it, name)
	}
	maps.DeleteFunc(it, func(name string, _ types.AttributeValue) bool { return slices.Contains(known, name) })
	return it
}
