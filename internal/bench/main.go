package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"product-comments/store/pack"
)

type flags struct {
	Parts       []string      `help:"What to measure, of ${enum}." enum:"${parts}" default:"${parts}" placeholder:"PART"`
	Data        string        `help:"Measure read units and texts of this file, in the format of imports, plain or gzip, instead of the generated and the demo comments." type:"existingfile" placeholder:"FILE"`
	Products    int           `help:"Products of the file: those with the most comments. The dictionary is trained on the others." default:"8"`
	Clients     int           `help:"Clients that ask for pages at once, each on a connection of its own." default:"20"`
	SamePages   bool          `help:"Let all clients ask for the same 15 pages in turns: our server then answers those at once who ask for one of them at the same time. Otherwise no two ask for the same."`
	Duration    time.Duration `help:"Length of a round of one server at one place." default:"1s"`
	Rounds      int           `help:"Rounds of each server at each place, in turns." default:"7"`
	Comments    int           `help:"Generated comments; page 500 of every list needs as many." default:"12500"`
	DeepPage    int           `help:"The page to compare with page 1; like it, together with the 14 after it." default:"500"`
	ImportLines int           `help:"Lines of the file to import." default:"20000"`
	Check       bool          `help:"Exit with status 1 if a target is missed."`
}

// Validate is called by kong.
func (f *flags) Validate() error {
	switch {
	case f.Products < 1 || f.Products > 100:
		return errors.New("--products: 1 to 100 are possible")
	case f.Clients < 1 || f.Clients > 256:
		return errors.New("--clients: 1 to 256 are possible")
	case f.Duration < 50*time.Millisecond || f.Duration > time.Minute:
		return errors.New("--duration: 50ms to 1m are possible")
	case f.Rounds < 1 || f.Rounds > 100:
		return errors.New("--rounds: 1 to 100 are possible")
	case f.DeepPage <= stretch:
		return fmt.Errorf("--deep-page: it starts at %d", stretch+1)
	case f.Comments < leastComments:
		return fmt.Errorf("--comments: it starts at %d", leastComments)
	case f.ImportLines < 1:
		return errors.New("--import-lines: it starts at 1")
	}
	return nil
}

// leastComments are enough to train a dictionary on a part of them.
const leastComments = 5 * pack.MinSamples

var errMissed = errors.New("a target was missed")

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measure the service beside part 3 of the series taken at its word."), kong.UsageOnError(), kong.Vars{"parts": partNames()})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) (err error) {
	r := report{flags: f}
	if r.sets, err = dataSets(f); err != nil {
		return err
	}
	b, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, p := range parts {
		if !slices.Contains(f.Parts, p.name) {
			continue
		}
		if err := p.measure(ctx, b, f, &r); err != nil {
			return err
		}
	}
	r.print(os.Stdout)
	if f.Check && r.missed() {
		return errMissed
	}
	return nil
}

// say tells what is going on.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
