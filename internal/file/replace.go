// Package file writes files so that readers, also after a crash, find the old
// content or the new one.
package file

import (
	"errors"
	"os"
	"path/filepath"
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
