package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/testing/testkit/child"
)

const (
	service     = "product-comments"
	literal     = "literal"
	literalName = "part 3"
	againstName = "the other"
)

// bench is shared by all parts.
type bench struct {
	flags   flags
	out     io.Writer
	dir     string             // temporary; removed by close
	engine  *embedded.Engine   // that servers open too
	filled  map[string]*filled // tables, by name
	servers []*server          // of the part under way
}

// open builds the programs and starts the engine.
func open(ctx context.Context, f flags, out io.Writer) (b *bench, err error) {
	b = &bench{flags: f, out: out, filled: map[string]*filled{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return b, err
	}
	reportProgress("building both servers")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.dir+string(filepath.Separator), service,
		service+"/tools/bench/literal")
	if output, err := build.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build the servers: %w\n%s", err, output)
	}
	if b.engine, err = embedded.Open(ctx, embedded.Options{DataDir: b.dataDir()}); err != nil {
		return b, err
	}
	return b, setEnvironment()
}

// dataDir returns the data directory of all servers.
func (b *bench) dataDir() string { return filepath.Join(b.dir, "engine") }

// setEnvironment sets exactly the environment that the programs need, so that other variables
// cannot affect the results.
func setEnvironment() (err error) {
	keep := map[string]string{}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			keep[name] = value
		}
	}
	os.Clearenv()
	for name, value := range keep {
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

func (b *bench) close() error {
	err := b.stopServers()
	if b.engine != nil {
		err = errors.Join(err, b.engine.Close())
	}
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}

// roundTime is the duration of a round.
const roundTime = time.Second

// rounds returns the number of rounds for each server and place.
func (b *bench) rounds() int { return max(1, b.flags.scaled(7)) }

// startService starts the service on a table.
func (b *bench) startService(ctx context.Context, name, table string, flags ...string) (*server, error) {
	return b.startProgram(ctx, name, filepath.Join(b.dir, service), table, flags...)
}

func (b *bench) startProgram(ctx context.Context, name, path, table string, flags ...string) (*server, error) {
	args := []string{"serve", "--table=" + table, "--log-level=warn", "--no-projector", "--engine=embedded",
		"--data-dir=" + b.dataDir()}
	return b.start(ctx, &server{name: name}, path, append(args, flags...))
}

// startOther starts the server to compare with on a table: of another commit, or the literal one.
func (b *bench) startOther(ctx context.Context, table string) (*server, error) {
	if b.flags.Against != "" {
		return b.startProgram(ctx, againstName, b.flags.Against, table, b.flags.Flags...)
	}
	return b.start(ctx, &server{name: literalName, literal: true}, filepath.Join(b.dir, literal),
		[]string{"--table=" + table, "--data-dir=" + b.dataDir()})
}

func (b *bench) start(ctx context.Context, s *server, path string, args []string) (*server, error) {
	port, err := child.FreePort()
	if err != nil {
		return s, err
	}
	s.addr = fmt.Sprintf("127.0.0.1:%d", port)
	ready := &http.Client{Timeout: time.Second}
	s.Process, err = child.Start(ctx, child.Options{
		Path: path, Args: append(args, "--addr="+s.addr), Dir: b.dir,
		Ready: func(context.Context) error {
			response, err := ready.Get("http://" + s.addr + "/readyz")
			if err != nil {
				return err
			}
			if response.StatusCode != http.StatusOK {
				err = fmt.Errorf("/readyz: %s", response.Status)
			}
			return errors.Join(err, response.Body.Close())
		},
	})
	if err == nil {
		b.servers = append(b.servers, s)
	}
	return s, err
}

// stopServers stops the servers of a part.
func (b *bench) stopServers() (err error) {
	for _, s := range b.servers {
		err = errors.Join(err, s.Stop())
	}
	b.servers = nil
	return err
}

// line prints a paragraph.
func (b *bench) line(format string, args ...any) { fmt.Fprintf(b.out, format+"\n\n", args...) }

// columns starts a table, with text in the first column and numbers in the others. Columns and
// cells are separated by " | ".
func (b *bench) columns(names string) {
	fmt.Fprintf(b.out, "| %s |\n| --- %s|\n", names, strings.Repeat("| --: ", strings.Count(names, " | ")))
}

// row adds a row to the table, end ends it.
func (b *bench) row(format string, args ...any) { fmt.Fprintf(b.out, "| "+format+" |\n", args...) }
func (b *bench) end()                           { fmt.Fprintln(b.out) }
