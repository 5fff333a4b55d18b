package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store/derive/projector"
)

func parsed(t testing.TB, args ...string) *config {
	t.Helper()
	return testkit.Value(parse(args))(t)
}

// The tables of docs/benchmarks.md are the ones that the program prints.
func TestTablesOfThePage(t *testing.T) {
	for _, s := range parsed(t).sections() {
		manual.Compared(t, "benchmarks.md", s.name, s.body, alike)
	}
}

// figures are the numbers in a table.
var figures = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?`)

// alike compares two tables. Processors other than amd64 may round differently
// where a multiplication meets an addition: figures may then differ a little.
func alike(a, b string) bool {
	if a == b || runtime.GOARCH == "amd64" {
		return a == b
	}
	first, second := figures.FindAllString(a, -1), figures.FindAllString(b, -1)
	if figures.ReplaceAllString(a, "0") != figures.ReplaceAllString(b, "0") {
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
	p := project(zipf(10_000, 1), 1e9, shards, 0)
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
	mean := float64(held) / rounds
	testkit.Check(t, math.Abs(mean-g.full) <= 0.04*mean, "%.1f comments are drawn into a transaction, %.1f expected", mean, g.full)
}

func TestProjector(t *testing.T) {
	many := zipf(10_000, 1)
	slow := project(many, 200, 4, 0)
	testkit.Check(t, math.Abs(slow.comments-200) <= 0.01, "of 200 comments a second %g are counted", slow.comments)
	few := project(zipf(fewProducts, 1), 1e9, 16, 0)
	testkit.Check(t, few.most == 80_000, "%g comments/s of a few products, more than the stream gives", few.most)
}

// A partition refuses what is above its limit, by its hottest key.
func TestPartitionsRefuse(t *testing.T) {
	points := []point{{0.1, "a", 600}, {0.2, "b", 500}, {0.7, "c", 900}}
	testkit.Equal(t, refused(partitions(points, 2)), "a", "is refused first")
	first := refused(partitions(points, 10))
	testkit.Check(t, first == "", "%q is refused, though each key has a partition", first)
}

// What can be worked out by hand comes out of the searches.
func TestLimitsThatFormulasKnow(t *testing.T) {
	c := parsed(t, "--products=100")
	one := c.limits(c.campaignCases()[3:4])[0]
	views := c.viewed()
	for name, x := range map[string][2]float64{
		"one product: 1000 write units a second": {one.rate, 1000},
		"0.8 of the views, from `all`":           {views[0].at.rate, 3000 / 0.8},
		"counts of one item, half a unit each":   {views[2].at.rate, 3000 / 0.5},
	} {
		testkit.Check(t, x[0] >= 0.98*x[1] && x[0] <= 1.02*x[1], "%s: found %g, want %g", name, x[0], x[1])
	}
	f := highest(5000, func(float64) string { return "" })
	testkit.Check(t, f.String() == "over 5,000" && f.first == "", "got %+v", f)
	for i, way := range ways[1:4] {
		testkit.Check(t, views[i+1].units <= views[i].units && views[5].units <= views[4].units, "%s takes %g units, the way before it %g", way.name, views[i+1].units, views[i].units)
	}
}

func TestBillsAddUp(t *testing.T) {
	bills := bills([]float64{1})
	plain, appsync, sets := bills[0], bills[3], bills[4]
	// 80 % of the views read one partition, 11 % too; 5 % read two and 4 % three; each reads counts.
	units := monthViews / 1e6 * (0.91*1 + 0.05*2*0.65 + 0.04*3*0.65 + 0.5)
	if math.Abs(plain.readUnits-units) > 0.01*units || plain.reads != plain.readUnits*0.125 || math.Abs(plain.writes-5*19.9*0.625) > 0.001 {
		t.Errorf("%g million read units, want %g; reads $%g, writes $%g", plain.readUnits, units, plain.reads, plain.writes)
	}
	if appsync.api != 1005*4 || appsync.reads <= plain.reads || sets.reads >= plain.reads || sets.writes <= plain.writes || sets.storage <= plain.storage {
		t.Errorf("AppSync %+v\npower set %+v", appsync, sets)
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.5: "0.5", 2857: "2,860", 9.996: "10", 1e6: "1,000,000", 0.0321: "0.0321", 999.6: "1,000"} {
		testkit.Equal(t, figure(x), want, "the figure")
	}
}
