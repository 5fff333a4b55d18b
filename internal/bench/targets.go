package main

import "fmt"

// What a change must not break.
const (
	leastUnfiltered = 0.9   // pages a second by those of the literal server, no filter
	mostDeep        = 1.1   // time and read units of deep pages by those of the first ones
	leastImport     = 0.8   // comments a second by those of plain writes
	mostImport      = 100e6 // bytes of memory of an import
	leastProjected  = 1.0   // records a second of the projector by comments a second that the engine takes
)

// target is a figure and its limit.
type target struct {
	what  string
	value string
	limit string
	met   bool
}

func (t target) String() string {
	verdict := "met"
	if !t.met {
		verdict = "MISSED"
	}
	return fmt.Sprintf("%s: %s: %s (%s)", verdict, t.what, t.value, t.limit)
}

func atLeast(what string, value, limit float64) target {
	return target{what, fmt.Sprintf("%.2f", value), fmt.Sprintf("at least %.2f", limit), value >= limit}
}

func atMost(what string, value, limit float64) target {
	return target{what, fmt.Sprintf("%.2f", value), fmt.Sprintf("at most %.2f", limit), value <= limit}
}

func (r *report) targets() []target {
	var out []target
	for _, l := range r.lists {
		first, deep := l.spots[0], l.spots[1]
		if l.list.language == "" && l.list.ratings == nil {
			for _, s := range l.spots {
				out = append(out, atLeast(fmt.Sprintf("%s, pages %s, pages/s by part 3's", l.list.name, s.pages()), s.rateRatio(), leastUnfiltered))
			}
		}
		out = append(out,
			atMost(fmt.Sprintf("%s, time of pages %s by that of %s", l.list.name, deep.pages(), first.pages()), medianRatio(first.sides[0].rates, deep.sides[0].rates), mostDeep),
			atMost(fmt.Sprintf("%s, read units of pages %s by those of %s", l.list.name, deep.pages(), first.pages()), deep.sides[0].units/first.sides[0].units, mostDeep))
	}
	if i := r.imported; i != nil {
		out = append(out, atLeast("import, comments/s by plain writes'", i.through/i.plain, leastImport))
		if i.peak > 0 {
			out = append(out, target{"import, most memory", megabytes(i.peak), "less than " + megabytes(mostImport), i.peak < mostImport})
		}
	}
	if f := r.projecting; f != nil {
		out = append(out, atLeast(fmt.Sprintf("projector, records/s of %d products by the engine's PutItem/s", f.products), f.projected/f.puts, leastProjected))
	}
	return out
}

func (r *report) missed() bool {
	for _, t := range r.targets() {
		if !t.met {
			return true
		}
	}
	return false
}
