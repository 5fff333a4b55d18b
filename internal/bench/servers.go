package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"product-comments/internal/child"
)

// server is a running server.
type server struct {
	*child.Process
	name string // of its program
	addr string
}

// startService starts our server on a table, with more flags than it needs.
func (b *bench) startService(ctx context.Context, table string, flags ...string) (server, error) {
	return b.start(ctx, service, func(addr string) []string {
		return append([]string{"serve", "--engine=dynamodb", "--table=" + table, "--addr=" + addr, "--log-level=warn", "--data-dir=" + filepath.Join(b.dir, "data")}, flags...)
	})
}

// startLiteral starts the server to measure against.
func (b *bench) startLiteral(ctx context.Context, table string) (server, error) {
	return b.start(ctx, literal, func(addr string) []string { return []string{"--table=" + table, "--addr=" + addr} })
}

func (b *bench) start(ctx context.Context, program string, args func(addr string) []string) (server, error) {
	port, err := child.FreePort()
	if err != nil {
		return server{}, err
	}
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	process, err := child.Start(ctx, child.Options{
		Name: program,
		Path: filepath.Join(b.dir, program),
		Args: args(addr),
		Dir:  b.dir,
		Ready: func(ctx context.Context, _ int) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			if response.StatusCode != http.StatusOK {
				err = fmt.Errorf("/readyz: %s", response.Status)
			}
			return errors.Join(err, response.Body.Close())
		},
	})
	return server{process, program, addr}, err
}
