package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"product-comments/internal/checkout"
)

// parts are what can be measured, in this order.
var parts = []struct {
	name    string
	measure func(context.Context, *bench) error
}{
	{"units", eachSet((*bench).measureUnits)}, // read units of the first pages of every filter by ratings
	{"pages", measurePages},                   // pages a second, at the start of long lists and deep in them
	{"hot", measureHot},                       // one page that everybody asks for
	{"texts", eachSet((*bench).measureTexts)}, // what packing saves, by the length of texts
	{"import", measureImport},                 // an import of a file beside plain writes
	{"projector", measureProjector},           // how fast comments are counted, and how soon
	{"forms", measureForms},                   // products with a power set and without one
	{"grid", measureGrid},                     // a product with 400 attributes, and pages in the order of one
	{"orders", measureOrders},                 // orders, and lists of them beside scans
	{"moderation", measureModeration},         // comments that wait, decisions about them, the queue
}

type flags struct {
	Parts        []string `help:"What to measure, of ${enum}." enum:"${parts}" default:"${parts}" placeholder:"PART"`
	Data         string   `help:"Measure read units and texts of this file, in the format of imports, plain or gzip, instead of the generated and the demo comments." type:"existingfile" placeholder:"FILE"`
	OldProjector string   `help:"Program to measure beside our projector: one of an older commit, see docs/benchmarks.md." type:"existingfile" placeholder:"PATH"`
	GridColumns  int      `help:"How many of the 10000 comments of the part grid are kept in all of its 400 columns; the others are in the one that pages are read from. 10000 is the whole size, and takes half an hour." default:"500"`
	Plot         string   `help:"File to draw pages a second and read units a page into, as SVG." placeholder:"FILE"`
	From         string   `help:"Measure nothing: draw the plot of this file's tables, which an earlier run printed." type:"existingfile" placeholder:"FILE"`
	Short        bool     `help:"One round, and a tenth of the comments: to see that everything works, not to believe the figures."`
	Check        bool     `help:"Exit with status 1 if a target is missed."`
}

// of returns how many of so many are measured.
func (f flags) of(n int) int {
	if f.Short {
		return n / 10
	}
	return n
}

func main() {
	var f flags
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.name
	}
	checkout.UseEngine()
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measure the service beside part 3 of the series taken at its word."),
		kong.UsageOnError(), kong.Vars{"parts": strings.Join(names, ",")})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) (err error) {
	if f.From != "" {
		report, err := os.ReadFile(f.From)
		if err != nil {
			return err
		}
		return writePlot(f.Plot, string(report))
	}
	b, err := open(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.report.line("%d rounds of %s each, medians; pages of %d; %s, %d processors.", b.rounds(), roundTime, pageSize, runtime.Version(), runtime.NumCPU())
	for _, p := range parts {
		if !slices.Contains(f.Parts, p.name) {
			continue
		}
		if err := errors.Join(p.measure(ctx, b), b.stopServers()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	b.report.print(os.Stdout)
	if f.Plot != "" {
		if err := writePlot(f.Plot, b.report.text.String()); err != nil {
			return err
		}
	}
	if f.Check && b.report.missed() > 0 {
		return errors.New("a target was missed")
	}
	return nil
}

// writePlot draws the plot of a report into a file.
func writePlot(name, report string) error {
	list, err := readFigures(report)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(plot(list)), 0o644)
}

// eachSet measures every set of comments.
func eachSet(measure func(*bench, context.Context, *dataSet) error) func(context.Context, *bench) error {
	return func(ctx context.Context, b *bench) error {
		sets, err := dataSets(ctx, b.flags)
		for _, set := range sets {
			if err == nil {
				err = measure(b, ctx, set)
			}
		}
		return err
	}
}

// say tells what is going on.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
