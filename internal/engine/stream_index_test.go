package engine

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// The engine's own question must be answered from an index, in a file that the
// engine has open.
func TestStreamRecordsAreIndexed(t *testing.T) {
	dir := t.TempDir()
	e, err := Open(t.Context(), Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	db, err := sql.Open("sqlite", filepath.Join(dir, "comments.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id, parent, unused int
	var detail string
	const next = `EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 'comments'`
	if err := db.QueryRow(next).Scan(&id, &parent, &unused, &detail); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(detail, "product_comments_next") {
		t.Errorf("the plan is: %s", detail)
	}
}
