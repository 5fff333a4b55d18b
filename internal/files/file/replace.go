// Package file writes files so that readers find the old or the new content, also after a crash,
// and creates private directories.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace creates or replaces a file atomically. The file is readable by its owner only.
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

// Private creates a directory, with its parents, that only the current user can access (0700). It
// makes an existing directory private if everything in it is private. Otherwise it returns an
// error, because removing access could break other programs.
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
			return fmt.Errorf("%s contains %s, which other users may read: name a separate directory with --data-dir",
				dir, e.Name())
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("access of other users cannot be removed, name a directory that you own with --data-dir: %w",
			err)
	}
	return nil
}

// isOpen reports whether other users have access to a file or a directory. It is always false on
// Windows, which has no such permissions.
func isOpen(info fs.FileInfo) bool { return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 }
