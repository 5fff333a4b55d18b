package main

import (
	"strings"
	"testing"
	"time"
)

func rates(rate float64) speed {
	return speed{rates: []float64{rate}, latencies: []time.Duration{time.Millisecond}}
}

// sampleReport has everything, and meets every target.
func sampleReport() *report {
	spot := func(page int, ours, part3 float64) spotFigures {
		return spotFigures{page, [2]figures{
			{speed: rates(ours), units: 1, cursor: 52, bytes: 11000},
			{speed: rates(part3), units: 1.5, cursor: 172, bytes: 11000},
		}}
	}
	set := &dataSet{name: "sample", products: []product{{id: "42"}}, trained: "nothing"}
	u := unitsFigures{set: set}
	for i := range u.rows {
		u.rows[i].ratings = i
		u.rows[i].add([3]pageCost{{units: 2}, {units: 4}, {units: 5}})
	}
	return &report{
		units: []unitsFigures{u},
		lists: []listFigures{
			{lists[0], [2]spotFigures{spot(1, 1300, 1000), spot(500, 1250, 1000)}},
			{lists[2], [2]spotFigures{spot(1, 1200, 700), spot(500, 1200, 700)}},
		},
		hot:        []hotFigures{{way{name: "part 3"}, rates(1000)}, {way{name: "as it is", least: 2.5}, rates(2600)}},
		texts:      []textsRow{{set: "sample", texts: "all", plain: written{20, 700, 600, 5}, packed: written{20, 400, 300, 5}, pages: [2]float64{1.5, 1}}},
		imported:   &importFigures{lines: 10, plain: 1000, through: 900, peak: 30e6},
		projecting: &projectingFigures{projected: 3000, puts: 1500, products: 25},
		forms: &formsFigures{
			forms: [2]formFigures{{name: indexesForm, pageUnits: [3]float64{2, 3, 4}}, {name: powerSetForm, write: 5, alone: 64, pageUnits: [3]float64{1.5, 1.5, 1.5}}},
			part3: [3]float64{3, 4.5, 6},
		},
		cursor: 52,
		memory: []memory{{"pages", 90e6, true}, {"pages, part 3", 200e6, false}},
	}
}

func TestTargets(t *testing.T) {
	if r := sampleReport(); r.missed() {
		t.Errorf("missed: %v", r.targets())
	}
	for name, change := range map[string]func(*report){
		"more units than part 3": func(r *report) { r.units[0].rows[3].sums[oursPacked].units = 4 },
		"one dear page":          func(r *report) { r.units[0].rows[1].worst[oursPlain] = 1.5 },
		"slow":                   func(r *report) { r.lists[0].spots[0].sides[0].rates = []float64{1190} },
		"slow with a filter":     func(r *report) { r.lists[1].spots[0].sides[1].rates = []float64{760} },
		"slowed by a filter": func(r *report) {
			r.lists[1].spots[0] = spotFigures{1, [2]figures{{speed: rates(1100)}, {speed: rates(600)}}}
		},
		"slow when deep":   func(r *report) { r.lists[1].spots[1].sides[0].rates = []float64{1130} },
		"a slow hot page":  func(r *report) { r.hot[1].rates = []float64{2400} },
		"a dear power set": func(r *report) { r.forms.forms[1].pageUnits[1] = 2.5 },
		"a long cursor":    func(r *report) { r.cursor = 131 },
		"much memory":      func(r *report) { r.memory[0].bytes = 151e6 },
		"a slow import":    func(r *report) { r.imported.through = 700 },
		"a large import":   func(r *report) { r.imported.peak = 100e6 },
		"a slow projector": func(r *report) { r.projecting.projected = 1400 },
	} {
		r := sampleReport()
		change(r)
		missed := 0
		for _, target := range r.targets() {
			if !target.met {
				missed++
			}
		}
		if missed != 1 {
			t.Errorf("%s: %d targets missed: %v", name, missed, r.targets())
		}
	}
	if r := (&report{}); r.missed() {
		t.Errorf("of nothing: %v", r.targets())
	}
}

func TestReportIsTables(t *testing.T) {
	var b strings.Builder
	sampleReport().print(&b)
	for _, want := range []string{
		"| no filter | 1 | 2.00 | 4.00 | 5.00 | 0.40 | 0.80 | -3.0 | -1.0 |",
		"| no filter | 1–15 | 1300 | 1000 | 1.30 |",
		"| no filter | 500–514 | 1.00 | 1.50 | 52 |",
		"Pages/s with ratings 1, 4, 5 by those without a filter: 0.92, part 3 0.70",
		"| as it is | 2600 | 2.60 |",
		"| sample | all | 20 | 700 | 400 | 600 | 300 | 1.50 | 1.00 | 5.00 | 5.00 |",
		"| power-set | 5.00 | 64.00 | 0.00 | 1.50 | 1.50 | 1.50 | 0.50 | 0.33 | 0.25 |",
		"met: import",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	columns := 0 // of the table that the line before belongs to
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		if n := strings.Count(line, "|"); columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("%d bars where its table has %d: %s", n, columns, line)
		}
	}
}
