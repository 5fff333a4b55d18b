package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/pack"
)

// longestLine bounds a line of a file of comments, in bytes.
const longestLine = 4 << 20

// fileSet reads a file of comments in the format of imports, plain or gzip, and
// takes the products with the most of them.
func fileSet(name string, most int) (*dataSet, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	comments, err := readComments(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(says(comments)) < pack.MinSamples {
		return nil, fmt.Errorf("%s: it has fewer than %d comments with a text, too few to train a dictionary on", name, pack.MinSamples)
	}
	return newSet("file", comments, most), nil
}

// readComments reads every line. Of comments with the same id the first one is
// taken: a table can hold only one.
func readComments(from io.Reader) ([]store.Comment, error) {
	buffered := bufio.NewReader(from)
	from = buffered
	if magic, err := buffered.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		from = unzipped
	}
	var out []store.Comment
	seen := map[string]bool{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, err := ndjson.Parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			out = append(out, c)
		}
	}
	return out, lines.Err()
}
