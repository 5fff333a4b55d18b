package engine

import (
	"bytes"
	_ "embed" // the empty file
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/gzip"

	"product-comments/internal/file"
)

// empty is a file as the engine makes it, zipped, with two indexes that its table of
// stream records lacks: it looks for the greatest sequence number with every write,
// and without an index reads all records for that, so that each write takes longer
// than the last. A test makes the file again and compares:
//
//	go test ./internal/engine -run EmptyFile -update
//
// The engine is the only one here that speaks SQL: a library for two statements was
// a quarter of what a build compiles.
//
//go:embed empty.db.gz
var empty []byte

// lay lays the empty file where the engine's file is to be, unless there is one.
func lay(name string) error {
	info, err := os.Stat(name)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
		return err
	}
	for _, rest := range []string{name + "-wal", name + "-shm"} { // of a file that is gone: SQLite would write it into this one
		if err := os.Remove(rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(empty))
	if err != nil {
		return err
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		return err
	}
	return file.Replace(name, content)
}
