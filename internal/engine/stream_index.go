package engine

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// indexWithin bounds adding the indexes, which takes milliseconds unless there
// are many stream records already.
const indexWithin = 30 * time.Second

// streamIndexes are what the engine's table of stream records lacks: it looks
// for the greatest sequence number with every write, and without an index
// reads all records for that, so that each write takes longer than the last.
var streamIndexes = []string{
	`CREATE INDEX IF NOT EXISTS product_comments_next ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`,
	`CREATE INDEX IF NOT EXISTS product_comments_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))`,
}

// indexStream adds the indexes to the engine's file while the engine runs.
func indexStream(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, indexWithin)
	defer cancel()
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: file, RawQuery: "_pragma=busy_timeout(10000)"}).String())
	if err != nil {
		return fmt.Errorf("open %s: %w", file, err)
	}
	defer db.Close()
	for _, statement := range streamIndexes {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("index the stream records: %w", err)
		}
	}
	return nil
}
