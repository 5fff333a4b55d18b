package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/internal/ndjson"
	"product-comments/store/errs"
)

// Targets of columns that are no fields.
const (
	attributes = "attributes" // or attributes.NAME
	published  = "published"
	leftOut    = "-"
)

// rule says what a column holds.
type rule struct {
	column string
	target string
	ready  bool // it is part of a ready map, whose columns need not be there
}

// Map says what columns hold. The zero value knows the fields' own names.
type Map struct {
	rules []rule // the first that fits a column, or claims a field, counts
	dates Dates  // how the ready map's source spells dates
}

// Dates is whether days or months come first in dates such as 02/03/2025.
type Dates string

// The orders of dates.
const (
	DatesUnknown Dates = "" // they are refused
	DayFirst     Dates = "day-first"
	MonthFirst   Dates = "month-first"
)

// ParseMap reads the entries of a map: COLUMN=TARGET, or the name of a ready map.
// What is given by entries wins over ready maps. Its error names the entry.
func ParseMap(entries []string) (m Map, err error) {
	var known []rule
	for _, entry := range entries {
		at := strings.LastIndexByte(entry, '=')
		if at < 0 {
			found, ok := ready[strings.ToLower(entry)]
			if !ok {
				return m, fmt.Errorf("%q is neither COLUMN=FIELD nor a ready map, of which there are %s", entry, strings.Join(ReadyMaps(), ", "))
			}
			known, m.dates = append(known, found.rules()...), found.dates
			continue
		}
		r := rule{column: strings.TrimSpace(entry[:at]), target: strings.TrimSpace(entry[at+1:])}
		if err := checkTarget(r.target); err != nil {
			return m, fmt.Errorf("%q: %w", entry, err)
		}
		m.rules = append(m.rules, r)
	}
	m.rules = append(m.rules, known...)
	return m, nil
}

// ReadyMaps returns the names of the maps that ParseMap knows, in order.
func ReadyMaps() []string { return slices.Sorted(maps.Keys(ready)) }

func checkTarget(target string) error {
	name, isAttribute := strings.CutPrefix(target, attributes+".")
	switch {
	case target == published, target == leftOut, target == attributes, isAttribute && name != "", ndjson.IsPlain(target):
		return nil
	default:
		return errs.Invalid(target, "no field has this name%s", ndjson.Meant(target))
	}
}
