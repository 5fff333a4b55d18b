// Package command is the command line: each command in a file of its own, with
// its flags.
package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"product-comments/internal/httpapi"
)

type commands struct {
	Serve  serve     `cmd:"" help:"Serve the GraphQL API and the playground."`
	Import importing `cmd:"" help:"Write comments from files of one JSON object a line (NDJSON, plain or gzip)."`
	Export exporting `cmd:"" help:"Print a product's comments, one JSON object a line."`
}

// Exit statuses beside 0 and those of a wrong command line.
const (
	exitFailed  = 1
	exitRefused = 3 // an import finished, and refused some lines
)

// errRefused ends an import that refused some lines; it has told which.
var errRefused = errors.New("some lines were refused")

// Main runs the command that the arguments name and returns the exit status.
// An interrupt or a termination signal stops it in good order; a second one at
// once.
func Main() int {
	var c commands
	k := kong.Parse(&c,
		kong.Name("product-comments"),
		kong.Description("Comments on products, over GraphQL, on DynamoDB alone."),
		kong.Vars{"endpoint_env": endpointEnv, "cursor_keys_env": cursorKeysEnv},
		kong.UsageOnError(),
	)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // from now on a signal kills
	k.BindTo(ctx, (*context.Context)(nil))
	switch err := k.Run(); {
	case err == nil:
		return 0
	case errors.Is(err, errRefused):
		return exitRefused
	default:
		k.Errorf("%v", err)
		return exitFailed
	}
}

// logger returns the log on standard error.
func (f *storeFlags) logger() *slog.Logger { return f.loggerTo(os.Stderr) }

func (f *storeFlags) loggerTo(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.LogLevel}
	var h slog.Handler = slog.NewTextHandler(w, options)
	if f.LogFormat == "json" {
		h = slog.NewJSONHandler(w, options)
	}
	return slog.New(httpapi.LogHandler(h))
}

// closeAfter closes and keeps both errors.
func closeAfter(err error, close func() error) error { return errors.Join(err, close()) }
