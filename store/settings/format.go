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
const Format = 1

// FormatError says that a table is of a format that this version does not serve.
type FormatError struct {
	Table  string
	Format int // of the table
}

// Error says what to do.
func (e *FormatError) Error() string {
	return fmt.Sprintf("table %q has format %d, and this version of the program serves format %d alone: run the version that made the table, or export with that one and import into a new table with this one", e.Table, e.Format, Format)
}

// served returns an error unless the settings item, nil for none, is of a table that this
// version serves.
func (s *Store) served(it table.Item) error {
	n, err := table.Number(it, attrFormat)
	if err != nil || n == Format || it == nil {
		return err
	}
	return errs.Wrap(errs.Unavailable, &FormatError{s.t.Name(), n}, "The service is being upgraded, try again later")
}

// known are the attributes of the item that this version writes.
var known = []string{
	attrFormat, attrState, attrGeneration, attrRevision, attrStream, attrCreated, attrPowerSets,
	attrPagesFrom, attrAttributes, attrModerated, attrWeights, attrMean, attrWeight, attrLeast, attrScorings,
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
