package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"product-comments/internal/child"
	"product-comments/internal/engine/keeper"
)

// record is what engine.json tells followers about the running child.
type record struct {
	Port int `json:"port"`
	PID  int `json:"pid"` // the engine's own
	// Host is the address that it listens on, 127.0.0.1 if empty.
	Host string `json:"host,omitempty"`
	// Confined engines are reached through the socket in the data directory.
	Confined bool `json:"confined,omitempty"`
}

func (r record) address() string {
	return net.JoinHostPort(cmp.Or(r.Host, "127.0.0.1"), strconv.Itoa(r.Port))
}

func (r record) endpoint() string { return "http://" + r.address() }

// dial connects to the engine of a data directory.
func (r record) dial(ctx context.Context, dir string) (net.Conn, error) {
	if r.Confined {
		conn, _, err := keeper.Dial(ctx, dir)
		return conn, err
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", r.address())
}

// ping returns nil when the engine answers, and waits a second at the most.
func (r record) ping(ctx context.Context, dir string) error {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return r.dial(ctx, dir) },
	}
	return ping(ctx, &http.Client{Timeout: time.Second, Transport: transport}, r.endpoint())
}

// check returns nil when the recorded child answers. The pid matters: after a
// crash the file is stale, and another engine may have the port.
func (r record) check(ctx context.Context, dir string) error {
	if err := r.ping(ctx, dir); err != nil {
		return err
	}
	if !r.Confined && !child.Listens(r.PID, r.Port) {
		return fmt.Errorf("port %d does not belong to process %d", r.Port, r.PID)
	}
	return nil
}

func recordFile(dir string) string { return filepath.Join(dir, "engine.json") }

func readRecord(dir string) (record, error) {
	var r record
	content, err := os.ReadFile(recordFile(dir))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(content, &r); err != nil {
		return r, fmt.Errorf("%s: %w", recordFile(dir), err)
	}
	if r.Port < 1 || r.Port > 65535 || r.PID < 1 {
		return r, fmt.Errorf("%s: no port or no pid", recordFile(dir))
	}
	return r, nil
}

// writeRecord replaces the file in one step: a follower reads the old record,
// the new one or none. Only the owner calls it, so one temporary name will do.
func writeRecord(dir string, r record) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	temporary := recordFile(dir) + ".new"
	if err := os.WriteFile(temporary, append(content, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, recordFile(dir))
}

func removeRecord(dir string) error {
	for _, file := range []string{recordFile(dir), filepath.Join(dir, keeper.Socket)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
