package main

import (
	"fmt"
	"math"
	"slices"
)

// What a change must not break. "By part 3" is beside the literal server.
const (
	mostUnfilteredUnits = 1.0   // read units of pages without a filter by part 3
	mostWorst           = 1.0   // read units of any page above part 3
	mostPowerSet        = 0.45  // read units of pages with three ratings of a power set by part 3
	leastUnfiltered     = 1.2   // pages a second without a filter by part 3
	leastFiltered       = 1.6   // pages a second with ratings 1, 4, 5 by part 3
	leastByUnfiltered   = 0.85  // and by our own without a filter
	leastDeep           = 0.95  // deep pages a second by the first ones
	mostCursor          = 130   // characters
	mostServer          = 150e6 // bytes of memory of our server
	leastImport         = 0.8   // comments a second by those of plain writes
	mostImport          = 100e6 // bytes of memory of an import
	leastProjected      = 1.0   // records a second of the projector by comments a second that the engine takes
)

// mostUnits are read units of pages by part 3, by the number of ratings.
var mostUnits = map[int]float64{0: mostUnfilteredUnits, 2: 0.62, 3: 0.58, 4: 0.45}

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
	return target{what, fmt.Sprintf("%.3f", value), fmt.Sprintf("at least %.2f", limit), value >= limit}
}

func atMost(what string, value, limit float64) target {
	return target{what, fmt.Sprintf("%.3f", value), fmt.Sprintf("at most %.2f", limit), value <= limit}
}

// lessThan is a limit of memory.
func lessThan(what string, value int64, limit float64) target {
	return target{what, megabytes(value), "less than " + megabytes(int64(limit)), float64(value) < limit}
}

func (r *report) targets() []target {
	return slices.Concat(r.unitsTargets(), r.pagesTargets(), r.hotTargets(), r.otherTargets())
}

func (r *report) unitsTargets() (out []target) {
	for _, u := range r.units {
		worst := math.Inf(-1)
		for _, row := range u.rows {
			if row.pages == 0 {
				continue
			}
			worst = max(worst, row.worst[oursPacked], row.worst[oursPlain])
			what := fmt.Sprintf("%s, %d ratings, read units by part 3's", u.set.name, row.ratings)
			if row.ratings == 0 {
				what = fmt.Sprintf("%s, no filter, read units by part 3's", u.set.name)
			}
			if most, limited := mostUnits[row.ratings]; limited {
				out = append(out, atMost(what, row.ratio(oursPacked), most))
			}
		}
		out = append(out, atMost(u.set.name+", read units of any page above part 3's", worst, mostWorst))
	}
	return out
}

func (r *report) pagesTargets() (out []target) {
	against := func(l *listFigures, least float64) {
		for _, s := range l.spots {
			out = append(out, atLeast(fmt.Sprintf("%s, pages %s, pages/s by part 3's", l.list.name, s.pages()), s.rateRatio(), least))
		}
	}
	if l := r.unfiltered(); l != nil {
		against(l, leastUnfiltered)
	}
	if l := r.filtered(); l != nil {
		against(l, leastFiltered)
		if r.unfiltered() != nil {
			out = append(out, atLeast(l.list.name+", pages/s by ours without a filter", r.byUnfiltered(l, 0), leastByUnfiltered))
		}
	}
	for _, l := range r.lists {
		first, deep := l.spots[0], l.spots[1]
		out = append(out, atLeast(fmt.Sprintf("%s, pages/s of pages %s by those of %s", l.list.name, deep.pages(), first.pages()),
			medianRatio(deep.sides[0].rates, first.sides[0].rates), leastDeep))
	}
	return out
}

func (r *report) hotTargets() (out []target) {
	for _, h := range r.hot {
		if h.least > 0 {
			out = append(out, atLeast(fmt.Sprintf("a hot page, %s, pages/s by part 3's", h.name), r.hotRatio(h), h.least))
		}
	}
	return out
}

func (r *report) otherTargets() (out []target) {
	if r.forms != nil {
		out = append(out, atMost("power set, 3 ratings, read units by part 3's", r.forms.ratio(1, 1), mostPowerSet))
	}
	if r.cursor > 0 {
		out = append(out, target{"longest cursor", fmt.Sprintf("%d characters", r.cursor), fmt.Sprintf("at most %d", mostCursor), r.cursor <= mostCursor})
	}
	for _, m := range r.memory {
		if m.own && m.bytes > 0 {
			out = append(out, lessThan("most memory of the server, "+m.what, m.bytes, mostServer))
		}
	}
	if i := r.imported; i != nil {
		out = append(out, atLeast("import, comments/s by plain writes'", i.through/i.plain, leastImport))
		if i.peak > 0 {
			out = append(out, lessThan("import, most memory", i.peak, mostImport))
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
