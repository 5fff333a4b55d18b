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

// empty is a file of the engine, zipped, with two additional indexes on its table of stream
// records. The engine looks for the greatest sequence number with every write. Without an index it
// reads all records for that, so that each write takes longer than the last. A test creates the
// file again and compares:
//
//	go test ./internal/engine -run EmptyFile -update
//
// The service itself has no SQL library: one for two statements would be a quarter of a build's
// compilation.
//
//go:embed empty.db.gz
var empty []byte

// createEmpty writes the empty file at the path of the engine's file, unless that exists.
func createEmpty(name string) error {
	info, err := os.Stat(name)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || info.Size() > 0) {
		return err
	}
	// Leftover files of a deleted database: SQLite would apply them to the new file.
	for _, rest := range []string{name + "-wal", name + "-shm"} {
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
