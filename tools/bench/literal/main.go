package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"product-comments/internal/engine/embedded"
)

func main() {
	var flags struct {
		Addr    string `help:"Address to listen on." default:"127.0.0.1:8081" env:"ADDR"`
		Table   string `help:"Name of the table." default:"comments" env:"TABLE"`
		DataDir string `help:"Data directory of the embedded engine." required:""`
	}
	kong.Parse(&flags, kong.Name("literal"), kong.Description("Serve comments the way part 3 of the series does, to measure against."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, flags.Addr, flags.Table, flags.DataDir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "literal:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, addr, name, dataDir string) (err error) {
	e, err := embedded.Open(ctx, embedded.Options{DataDir: dataDir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	server := &http.Server{Addr: addr, Handler: handler(&table{e, name}), ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
