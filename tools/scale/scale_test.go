package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"product-comments/store/projector"
)

// parsed returns the configuration that these arguments make, and its flags.
func parsed(t testing.TB, args ...string) (*config, string) {
	t.Helper()
	var c config
	parser, err := newParser(&c)
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &c, c.flagsTable(parser)
}

const document = "../../docs/scale.md"

// The tables of docs/scale.md are those that the program prints.
func TestDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	c, flags := parsed(t)
	all := c.sections(flags)
	for _, s := range all {
		begin, end := s.marks()
		_, rest, _ := strings.Cut(string(text), begin)
		if body, _, ok := strings.Cut(rest, end); !ok || !alike(body, s.body) {
			t.Errorf("docs/scale.md: %s is not what the program prints: run go run ./tools/scale --write docs/scale.md and read what changed.\n%s", s.name, s.body)
		}
	}
	file := filepath.Join(t.TempDir(), "scale.md")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "| `", "| old `")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := rewrite(file, all); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(file); err != nil || !strings.Contains(string(again), all[1].body) || strings.Contains(string(again), "| old `all`") {
		t.Errorf("the sections were not replaced: %v", err)
	}
	if err := rewrite(file, []section{{"none", ""}}); err == nil || !strings.Contains(err.Error(), "make scale: none") {
		t.Errorf("a missing mark: %v", err)
	}
}

// number is one in a table.
var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// alike compares two tables. Processors other than amd64 may round differently
// where a multiplication meets an addition: figures may then differ a little.
func alike(a, b string) bool {
	if a == b || runtime.GOARCH == "amd64" {
		return a == b
	}
	first, second := number.FindAllString(a, -1), number.FindAllString(b, -1)
	if number.ReplaceAllString(a, "0") != number.ReplaceAllString(b, "0") {
		return false
	}
	for i := range first {
		x, _ := strconv.ParseFloat(strings.ReplaceAll(first[i], ",", ""), 64)
		y, _ := strconv.ParseFloat(strings.ReplaceAll(second[i], ",", ""), 64)
		if math.Abs(x-y) > 0.05*max(x, y) {
			return false
		}
	}
	return true
}

// What a transaction is expected to hold is what it holds if comments are drawn
// one by one until the next one does not fit.
func TestTransactionsHoldWhatIsDrawn(t *testing.T) {
	const shards = 16
	for _, groups := range []int{1, 16} {
		p := project(zipf(10_000, 1), 1e9, shards, groups, 0)
		g := p.of[0]
		until := make([]float64, len(g.weights))
		for i, w := range g.weights {
			until[i] = w
			if i > 0 {
				until[i] += until[i-1]
			}
		}
		random, held := rand.New(rand.NewPCG(1, 2)), 0
		const rounds = 500
		for range rounds {
			items := map[[2]int]bool{}
			for n := 0; ; n++ {
				x, product := random.Float64()*g.share, 0
				for product < len(until)-1 && until[product] < x {
					product++
				}
				language := 1
				if random.Float64() > boards[1].share {
					language = 2
				}
				items[[2]int{product, 0}], items[[2]int{product, language}], items[[2]int{-1, random.IntN(shards)}] = true, true, true
				if len(items) > projector.MaxItems {
					held += n
					break
				}
			}
		}
		if mean := float64(held) / rounds; math.Abs(mean-g.full) > 0.04*mean {
			t.Errorf("%d groups: %.1f comments are drawn into a transaction, %.1f expected", groups, mean, g.full)
		}
	}
}

func TestProjector(t *testing.T) {
	c, _ := parsed(t)
	many := zipf(10_000, 1)
	if slow := project(many, 200, 4, 16, 0); math.Abs(slow.comments-200) > 0.01 {
		t.Errorf("of 200 comments a second %g are counted", slow.comments)
	}
	one, grouped := project(many, 1e9, 16, 1, 0), project(many, 1e9, 16, 16, 0)
	if grouped.most < 8*one.most {
		t.Errorf("16 groups %g comments/s, one %g", grouped.most, one.most)
	}
	if few := project(zipf(fewProducts, 1), 1e9, 16, 16, 0); few.most != 80_000 {
		t.Errorf("%g comments/s of a few products, more than the stream gives", few.most)
	}
	total := func(place int, rate float64) float64 { return sum(c.changes(many, c.placings()[place], rate)[0]) }
	if got := total(alonePlacing, 1000); math.Abs(got-550) > 0.1 {
		t.Errorf("of 1000 comments %g change a place, want those with five stars", got)
	}
	if got, most := total(builtPlacing, 1e9), 10_000.0/60; got > most*1.0001 {
		t.Errorf("%g places change a second, more than once a minute: %g", got, most)
	}
	if built, each := total(builtPlacing, 5000), total(groupsPlacing, 5000); built > each {
		t.Errorf("once a minute %g places change, with every transaction %g", built, each)
	}
}

func pointsAt(units float64, sorts ...float64) (out []point) {
	for _, s := range sorts {
		out = append(out, newPoint("PRODUCT#1", s, units))
	}
	return out
}

func TestHeat(t *testing.T) {
	for _, f := range []struct {
		name       string
		points     []point
		partitions int
		refuses    bool
	}{
		{"a load that can be divided", pointsAt(350, 0.1, 0.2, 0.3, 0.4), 2, false},
		{"the newest end", append(pointsAt(20, 0.5), pointsAt(1600, newest)...), 1, true},
		{"70 % of the limit", pointsAt(350, 0.1, 0.5), 1, false},
		{"near the limit", pointsAt(450, 0.1, 0.5), 2, false},
	} {
		if refused(partitions(f.points, 1, false)) != "" != (load(f.points) > writeLimit) {
			t.Errorf("%s: before splits %q is refused", f.name, refused(partitions(f.points, 1, false)))
		}
		split := partitions(f.points, 1, true)
		if first := refused(split); len(split) != f.partitions || (first != "") != f.refuses {
			t.Errorf("%s: %d partitions, refused %q", f.name, len(split), first)
		}
	}
}

// What can be worked out by hand comes out of the searches.
func TestLimitsThatFormulasKnow(t *testing.T) {
	c, _ := parsed(t, "--products=100")
	one := c.limits(c.campaignCases()[oneCase : oneCase+1])[0]
	views := c.viewed()
	for name, x := range map[string][2]float64{
		"one product: 1000 write units a second": {one.at.rate, 1000},
		"the same after splits":                  {one.then.rate, 1000},
		"0.8 of the views, from `all`":           {views[plainWay].at.rate, 3000 / 0.8},
		"0.7 when deeper pages lie elsewhere":    {views[plainWay].then.rate, 3000 / 0.7},
		"counts of one item, half a unit each":   {views[keptWay].at.rate, 3000 / 0.5},
		"two halves of 10 GB, and the rest":      {partitionsOf(12), 2},
		"partitions of 27 GB: 5, 5, 5, 5 and 7":  {partitionsOf(27), 5},
	} {
		if x[0] < 0.98*x[1] || x[0] > 1.02*x[1] {
			t.Errorf("%s: found %g, want %g", name, x[0], x[1])
		}
	}
	if f := highest(5000, func(float64) string { return "" }); f.String() != "over 5,000" || f.first != "" {
		t.Errorf("got %+v", f)
	}
	for i, way := range ways[1 : countedWay+1] {
		if views[i+1].units > views[i].units || views[bothWay].units > views[cdnWay].units {
			t.Errorf("%s takes %g units, the way before it %g", way.name, views[i+1].units, views[i].units)
		}
	}
}

func TestBillsAddUp(t *testing.T) {
	c, _ := parsed(t)
	bills := c.bills(use{views: 1e9, comments: 1e6, stored: 1e6, peak: 1, products: []float64{1}})
	plain, appsync, sets := bills[plainDesign], bills[appsyncDesign], bills[setsDesign]
	// 80 % of the views read one partition, 11 % too; 5 % read two and 4 % three; each reads counts.
	units := 1000 * (0.91*1 + 0.05*2*0.65 + 0.04*3*0.65 + 0.5)
	if math.Abs(plain.readUnits-units) > 0.01*units || plain.reads != plain.readUnits*0.125 || math.Abs(plain.writes-19.9*0.625) > 0.001 {
		t.Errorf("%g million read units, want %g; reads $%g, writes $%g", plain.readUnits, units, plain.reads, plain.writes)
	}
	if appsync.api != 1001*4 || appsync.reads <= plain.reads || sets.reads >= plain.reads || sets.writes <= plain.writes || sets.storage <= plain.storage {
		t.Errorf("AppSync %+v\npower set %+v", appsync, sets)
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[figure]string{0: "0", 0.5: "0.5", 2857: "2,860", 9.996: "10", 1e6: "1,000,000", 0.0321: "0.0321", 999.6: "1,000"} {
		if x.String() != want {
			t.Errorf("%s, want %s", x, want)
		}
	}
}
