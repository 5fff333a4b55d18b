package engine

import (
	"bytes"
	_ "embed" // the empty file
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
)

// empty is a file as the engine makes it, zipped, with two indexes that its table of
// stream records lacks: it looks for the greatest sequence number with every write,
// and without an index reads all records for that, so that each write takes longer
// than the last. A test makes the file anew and compares:
//
//	go test ./internal/engine -run EmptyFile -update
//
// The engine is the only one here that speaks SQL: a library for two statements was
// a quarter of what a build compiles.
//
//go:embed empty.db.gz
var empty []byte

// lay lays the empty file where the engine's file is to be, unless there is one.
func lay(file string) (err error) {
	info, err := os.Stat(file)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("begin the engine's file: %w", err)
		}
	}()
	for _, rest := range []string{file + "-wal", file + "-shm"} { // of a file that is gone: SQLite would write it into this one
		if err := os.Remove(rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(empty))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // for us alone
	if err != nil {
		return err
	}
	_, err = io.Copy(f, unzipped)
	// Without Sync the file could be empty after a power failure.
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
