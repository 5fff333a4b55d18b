package transfer

import (
	"cmp"
	"maps"
	"slices"

	"product-comments/internal/ndjson"
	"product-comments/internal/progress"
	"product-comments/store/item"
)

// unknown counts the lines that have a member which no field has, by its name.
// Lines that are refused are counted, too.
type unknown map[string]int64

const (
	mostUnknown = 100 // names; what others have is counted together
	longestName = 100 // characters that are kept of a name
	otherNames  = ""  // the name that stands for all others
)

func (u unknown) add(name string, n int64) {
	name = item.Printable(name)
	if r := []rune(name); len(r) > longestName {
		name = string(r[:longestName]) + "…"
	}
	if _, known := u[name]; !known && len(u) >= mostUnknown {
		name = otherNames
	}
	u[name] += n
}

// with returns the sum, which may be u itself; nil if there is nothing.
func (u unknown) with(more unknown) unknown {
	if u == nil && len(more) > 0 {
		u = unknown{}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		u.add(name, more[name])
	}
	return u
}

// tell says a sentence about each name, the most frequent first. They are those of
// members of lines, or of columns of a sheet.
func (u unknown) tell(sheet bool, say func(format string, args ...any)) {
	names := slices.SortedFunc(maps.Keys(u), func(a, b string) int {
		return cmp.Or(cmp.Compare(u[b], u[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		n, of := ofLines(u[name])+" with a member", "which no field has, so it is left out"
		if sheet {
			n, of = progress.Counted(u[name], "row")+" with something in the column", "of which nothing is known, so it is left out"
		}
		if name == otherNames {
			say("%s of another name, %s", n, of)
			continue
		}
		say("%s %q, %s%s", n, name, of, ndjson.Meant(name))
	}
}
