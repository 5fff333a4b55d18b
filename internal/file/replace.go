// Package file writes files so that readers, also after a crash, find the old
// content or the new one, and makes folders that only their owner may look into.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
// that is open to others is closed if nothing in it is. It returns an error for any other:
// to close it could break what else uses it.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil || !isOpen(info) {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isOpen(info) {
			return fmt.Errorf("%s contains %s, which other users may read: name a separate directory with --data-dir", dir, e.Name())
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("access of other users cannot be removed, name a directory that you own with --data-dir: %w", err)
	}
	return nil
}

// isOpen reports whether a file or a folder is open to other users, as far as the system
// says: Windows has rights of another kind.
func isOpen(info fs.FileInfo) bool { return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 }
