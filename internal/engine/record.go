package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"product-comments/internal/child"
)

// record is what engine.json tells followers about the running child.
type record struct {
	Port int `json:"port"`
	PID  int `json:"pid"`
}

func (r record) endpoint() string { return fmt.Sprintf("http://127.0.0.1:%d", r.Port) }

// check returns nil when the recorded child answers. The pid matters: after a
// crash the file is stale, and another engine may have the port.
func (r record) check(ctx context.Context) error {
	if err := Ping(ctx, r.endpoint()); err != nil {
		return err
	}
	if !child.Listens(r.PID, r.Port) {
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
	if err := os.Remove(recordFile(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
