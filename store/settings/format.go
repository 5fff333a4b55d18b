package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/table"
)

// Format is the number of the table format of this version; docs/design.md describes it.
const Format = 1

// FormatError says that this version does not serve the format of a table.
type FormatError struct {
	Table  string
	Format int // of the table
}

// Error names the two formats and the remedy.
func (e *FormatError) Error() string {
	return fmt.Sprintf("table %q has format %d, and this version of the program serves format %d alone: run the version that made the table, or export with that one and import into a new table with this one", e.Table, e.Format, Format)
}

// served returns an error if this version does not serve the table of a settings item, which is nil
// for a new table.
func (s *Store) served(it table.Item) error {
	n, err := table.Number(it, attrFormat)
	if err != nil || n == Format || it == nil {
		return err
	}
	return errs.Wrap(errs.Unavailable, &FormatError{s.t.Name(), n}, "The service is being upgraded, try again later")
}

// known are the attributes that this version writes.
var known = []string{
	attrFormat, attrState, attrGeneration, attrRevision, attrStream, attrCreated, attrPowerSets,
	attrPagesFrom, attrAttributes, attrModerated, attrWeights, attrMean, attrWeight, attrLeast, attrScorings,
	attrRanked, attrEndpoints, attrRebuilder, attrRebuildAt, attrRebuilt,
}

// unknown returns the attributes that only a later version writes.
func unknown(it table.Item) table.Item {
	it = maps.Clone(it)
	for name := range table.Primary(it) {
		delete(it, name)
	}
	maps.DeleteFunc(it, func(name string, _ types.AttributeValue) bool { return slices.Contains(known, name) })
	return it
}
