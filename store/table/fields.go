package table

import "time"

// Fields are attributes of an item with pointers to their values in Go: *int for a whole number of
// type N, *time.Time for an N of seconds since 1970, *string for S, *bool for BOOL. An item lacks
// the attributes with zero values.
type Fields map[string]any

// Read sets the values from an item. It returns the errors of Number.
func Read(it Item, fields Fields) (err error) {
	for name, to := range fields {
		switch to := to.(type) {
		case *int:
			*to, err = Number(it, name)
		case *time.Time:
			var seconds int
			if seconds, err = Number(it, name); seconds > 0 {
				*to = time.Unix(int64(seconds), 0).UTC()
			}
		case *string:
			*to = Text(it, name)
		case *bool:
			*to = IsTrue(it, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Set adds the attributes to an item.
func Set(it Item, fields Fields) {
	for name, from := range fields {
		switch from := from.(type) {
		case *int:
			if *from != 0 {
				it[name] = N(*from)
			}
		case *time.Time:
			if !from.IsZero() {
				it[name] = N(int(from.Unix()))
			}
		case *string:
			if *from != "" {
				it[name] = S(*from)
			}
		case *bool:
			if *from {
				it[name] = Bool(true)
			}
		}
	}
}
