package settings

import (
	"fmt"

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
