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
)

// parts are the benchmarks, in this order.
var parts = []struct {
	name    string
	measure func(context.Context, *bench) error
}{
	{"units", measureUnits},           // read units of the first pages of every filter by ratings
	{"pages", measurePages},           // pages a second, at the start of lists and deep in a long one
	{"hot", measureHot},               // one page for all clients
	{"section", measureSection},       // the section of reviews, and the same data as GraphQL
	{"numbers", measureNumbers},       // pages by number, by cursor, and by reading and skipping
	{"forms", measureForms},           // a product with a power set, and one without
	{"projection", measureProjection}, // an import in order of time and in random order, and pages meanwhile
	{"import", measureImport},         // an import while a server projects it, and the start of the demo
	{"webhooks", measureWebhooks},     // events out of one projector, and how soon they arrive
	{"remote", measureRemote},         // the server's processor time a page, with DynamoDB's protocol
	{"peer", measurePeer},             // pages a second next to any other server, with --peer
}

type flags struct {
	Parts    []string `help:"What to measure, of ${enum}." enum:"${parts}" default:"${parts}" placeholder:"PART"`
	Data     string   `help:"Measure pages and read units of this file, in the format of imports, plain or gzip, instead of the generated and the demo comments." type:"existingfile" placeholder:"FILE"`
	Products int      `help:"So many of the file's products, those with the most comments." default:"8"`
	Against  string   `help:"Compare with this program of another commit in the place of part 3: same table, same flags." type:"existingfile" placeholder:"PATH"`
	Peer     string   `help:"For the part peer: a file of another server's requests, one JSON object a line: list (such as \"no filter\"), url (of this machine), and the body to post." type:"existingfile" placeholder:"FILE"`
	Flags    []string `help:"A flag of the measured servers, such as --page-cache=1s." default:"--page-cache=0s" sep:"none" placeholder:"FLAG"`
	Profile  string   `help:"Write a profile of the service's processor time in the part pages to this file, for releases: deploy/default.pgo." type:"path" placeholder:"FILE"`
	Short    bool     `help:"One round, and a tenth of the comments: to see that everything works, not to believe the figures."`
}

// scaled returns n reduced by the flags.
func (f flags) scaled(n int) int {
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
	b, err := open(ctx, f, os.Stdout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.line("%d rounds of %s each, medians; pages of %d; %s, %d processors.", b.rounds(), roundTime, pageSize,
		runtime.Version(), runtime.NumCPU())
	for _, p := range parts {
		if !slices.Contains(f.Parts, p.name) {
			continue
		}
		if err := errors.Join(p.measure(ctx, b), b.stopServers()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// reportProgress reports progress.
func reportProgress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
