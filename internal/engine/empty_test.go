package engine

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"product-comments/internal/child"
	"product-comments/internal/testkit"
)

var update = flag.Bool("update", false, "make the empty file anew")

// streamIndexes are what the empty file has beside the engine's own.
var streamIndexes = []string{
	`CREATE INDEX product_comments_next ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
	`CREATE INDEX product_comments_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))`,
}

func database(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file, RawQuery: "_pragma=busy_timeout(10000)"}).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // it was read
	return db
}

// texts returns a column of strings.
func texts(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// what returns what an empty file holds.
func what(t *testing.T, file string) []string {
	t.Helper()
	db := database(t, file)
	return slices.Concat(
		texts(t, db, `SELECT name || ': ' || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name`),
		texts(t, db, `SELECT key || '=' || value FROM _config ORDER BY key`), texts(t, db, `PRAGMA journal_mode`), texts(t, db, `PRAGMA page_size`),
	)
}

// installed returns the engine's binary.
func installed(t *testing.T) string {
	t.Helper()
	binary, err := Find()
	if err != nil {
		testkit.Cannot(t, "%v", err)
	}
	return binary
}

// bare starts the engine alone on a file, and stops it.
func bare(t *testing.T, file string) {
	t.Helper()
	binary := installed(t)
	port, err := child.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	process, err := child.Start(t.Context(), child.Options{
		Path:  binary,
		Args:  []string{"--db-path=" + file, fmt.Sprint("--port=", port)},
		Ready: func(ctx context.Context) error { return Ping(ctx, fmt.Sprint("http://127.0.0.1:", port)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
}

// The empty file is what the engine that is installed makes, with the indexes.
func TestTheEmptyFileIsTheEngines(t *testing.T) {
	dir := t.TempDir()
	made, laid := filepath.Join(dir, "made.db"), filepath.Join(dir, "laid.db")
	bare(t, made)
	db := database(t, made)
	for _, statement := range streamIndexes {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if _, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(made)
		if err != nil {
			t.Fatal(err)
		}
		var zipped bytes.Buffer
		w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is one
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		empty = zipped.Bytes()
		if err := os.WriteFile("empty.db.gz", empty, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := lay(laid); err != nil {
		t.Fatal(err)
	}
	if got, want := what(t, laid), what(t, made); !slices.Equal(got, want) {
		t.Errorf("the empty file has\n%s\nthe engine's has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	bare(t, laid)
	if got, want := what(t, laid), what(t, made); !slices.Equal(got, want) {
		t.Errorf("the engine has changed the empty file to\n%s", strings.Join(got, "\n"))
	}
}

// The engine's own question must be answered from an index, in a file that it has
// open; a file that is there is left as it is.
func TestStreamRecordsAreIndexed(t *testing.T) {
	installed(t)
	dir := t.TempDir()
	e, err := Open(t.Context(), Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	file := filepath.Join(dir, "comments.db")
	const next = `EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 'comments'`
	var id, parent, unused int
	var detail string
	if err := database(t, file).QueryRowContext(context.Background(), next).Scan(&id, &parent, &unused, &detail); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(detail, "product_comments_next") {
		t.Errorf("the plan is: %s", detail)
	}
	own := filepath.Join(dir, "own")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := lay(own); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(own); err != nil || string(got) != "mine" {
		t.Errorf("%q, %v", got, err)
	}
}
