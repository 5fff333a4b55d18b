package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type flags struct {
	Clients     int           `help:"Clients that ask at once, each on a connection of its own." default:"20"`
	Duration    time.Duration `help:"Length of a round of one server at one place." default:"1s"`
	Rounds      int           `help:"Rounds of each server at each place, in turns." default:"7"`
	Comments    int           `help:"Comments of the product." default:"12500"`
	DeepPage    int           `help:"The page to compare with page 1; like it, together with the 14 after it." default:"500"`
	ImportLines int           `help:"Lines of the file to import; 0 leaves the import out." default:"20000"`
	Statistics  bool          `help:"Measure the projector and the power set, too." default:"true" negatable:""`
	Only        string        `help:"Measure only the lists whose name contains this; \"none\" for none." placeholder:"TEXT"`
	Check       bool          `help:"Exit with status 1 if a target is missed."`
}

// Validate is called by kong.
func (f *flags) Validate() error {
	switch {
	case f.Clients < 1 || f.Clients > 256:
		return errors.New("--clients: 1 to 256 are possible")
	case f.Duration < 50*time.Millisecond || f.Duration > time.Minute:
		return errors.New("--duration: 50ms to 1m are possible")
	case f.Rounds < 1 || f.Rounds > 100:
		return errors.New("--rounds: 1 to 100 are possible")
	case f.DeepPage <= stretch:
		return fmt.Errorf("--deep-page: it starts at %d", stretch+1)
	case f.ImportLines < 0:
		return errors.New("--import-lines: it is negative")
	}
	return nil
}

var errMissed = errors.New("a target was missed")

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measure the service beside part 3 of the series taken at its word."), kong.UsageOnError())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) (err error) {
	b, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	r := report{flags: f}
	if f.Only != "none" {
		if r.lists, r.peaks, err = b.measurePages(ctx, f); err != nil {
			return err
		}
	}
	if f.ImportLines > 0 {
		if r.imported, err = b.measureImport(ctx, f.ImportLines); err != nil {
			return err
		}
	}
	if f.Statistics {
		if r.projecting, err = b.measureProjecting(ctx); err != nil {
			return err
		}
		if r.forms, err = b.measureForms(ctx); err != nil {
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
