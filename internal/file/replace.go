// Package file writes files so that readers, also after a crash, find the old
// content or the new one, and makes folders that only their owner may look into.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Replace makes or replaces a file in one step. Only its owner may read it.
func Replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	// Without Sync the file could be empty after a power failure.
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Private makes a folder, with its parents, that only our user may look into (0700). One
// that is open to others is closed if it is empty or has a file of one of these names. It
// returns an error for any other: to close it could break what else uses it.
func Private(dir string, ours ...string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	known := func(e fs.DirEntry) bool { return slices.Contains(ours, e.Name()) }
	if len(entries) > 0 && !slices.ContainsFunc(entries, known) {
		return fmt.Errorf("%s holds other files, and other users may look into it: name a folder of its own with --data-dir", dir)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("it cannot be closed to other users, name a folder of your own with --data-dir: %w", err)
	}
	return nil
}
