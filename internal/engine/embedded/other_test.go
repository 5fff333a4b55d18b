package embedded_test

import (
	"database/sql"
	"os"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"product-comments/internal/testing/testkit"
)

// writeOther writes a file of another program.
func writeOther(t *testing.T, path string) {
	t.Helper()
	db := testkit.Value(sql.Open("sqlite", path))(t)
	defer db.Close()
	testkit.Value(db.Exec(`CREATE TABLE _stream_records (id INTEGER)`))(t)
	testkit.Must(t, os.Chmod(path, 0o600))
}
