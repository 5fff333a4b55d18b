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

var update = flag.Bool("update", false, "make the empty file again")

// streamIndexes are what the empty file has besides the engine's own.
var streamIndexes = []string{
	`CREATE INDEX product_comments_next ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
	`CREATE INDEX product_comments_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))`,
}

func database(t *testing.T, file string) *sql.DB {
	t.Helper()
	db := testkit.Value(sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file, RawQuery: "_pragma=busy_timeout(10000)"}).String()))(t)
	t.Cleanup(func() { _ = db.Close() }) // it was read
	return db
}

// texts returns a column of strings.
func texts(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows := testkit.Value(db.Query(query))(t)
	defer rows.Close()
	for rows.Next() {
		var text string
		testkit.Must(t, rows.Scan(&text))
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
	port := testkit.Value(child.FreePort())(t)
	process := testkit.Value(child.Start(t.Context(), child.Options{
		Path:  binary,
		Args:  []string{"--db-path=" + file, fmt.Sprint("--port=", port)},
		Ready: func(ctx context.Context) error { return Ping(ctx, fmt.Sprint("http://127.0.0.1:", port)) },
	}))(t)
	testkit.Must(t, process.Stop())
}

// The empty file is what the engine that is installed makes, with the indexes.
func TestTheEmptyFileIsTheEngines(t *testing.T) {
	dir := t.TempDir()
	made, laid := filepath.Join(dir, "made.db"), filepath.Join(dir, "laid.db")
	bare(t, made)
	db := database(t, made)
	for _, statement := range streamIndexes {
		testkit.Value(db.Exec(statement))(t)
	}
	if *update {
		testkit.Value(db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`))(t)
		content := testkit.Value(os.ReadFile(made))(t)
		var zipped bytes.Buffer
		w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is one
		testkit.Value(w.Write(content))(t)
		testkit.Must(t, w.Close())
		empty = zipped.Bytes()
		testkit.Must(t, os.WriteFile("empty.db.gz", empty, 0o644))
	}
	testkit.Must(t, createEmpty(laid))
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
	e := testkit.Value(Open(t.Context(), Options{DataDir: dir}))(t)
	defer e.Close()
	file := filepath.Join(dir, "comments.db")
	const next = `EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 'comments'`
	var id, parent, unused int
	var detail string
	testkit.Must(t, database(t, file).QueryRowContext(context.Background(), next).Scan(&id, &parent, &unused, &detail))
	testkit.Check(t, strings.Contains(detail, "product_comments_next"), "the plan is: %s", detail)
	own := filepath.Join(dir, "own")
	testkit.Must(t, os.WriteFile(own, []byte("mine"), 0o600))
	testkit.Must(t, createEmpty(own))
	got, err := os.ReadFile(own)
	testkit.Check(t, err == nil && string(got) == "mine", "%q, %v", got, err)
}
