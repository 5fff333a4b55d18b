package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/internal/files/file"
)

// File is the name of the engine's file in the data directory.
const File = "comments.db"

// Options configure an engine.
type Options struct {
	// DataDir is the data directory. It is created with its parents if necessary, and is private to
	// its user, see file.Private.
	DataDir string
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Engine is an open file. It is safe for concurrent use, and so is the file: any number of engines,
// of this process and of others, may open it.
type Engine struct {
	file   string
	now    func() time.Time
	tables tables
	pool   *pool
	writer *writer

	stop     context.CancelFunc // stops the sweeps
	sweeping sync.WaitGroup
	close    func() error
}

// Open opens the file of a data directory, and creates it if necessary. It returns an error that
// says what to do if the directory or the file cannot be written, if the file is damaged, or if
// another program created it.
func Open(ctx context.Context, o Options) (*Engine, error) {
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return nil, err
	}
	if err := file.Private(dir); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	e := &Engine{file: filepath.Join(dir, File), now: o.Now}
	if e.now == nil {
		e.now = time.Now
	}
	e.tables.known = map[string]*table{}
	c, err := connect(ctx, e.file)
	if err == nil {
		if err = create(c); err != nil {
			err = errors.Join(err, c.close())
		}
	}
	if err != nil {
		return nil, explain(e.file, err)
	}
	e.pool, e.writer = newPool(e.file), startWriter(c, e)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stop = stop
	e.sweeping.Go(func() { e.sweepOften(life) })
	e.close = sync.OnceValue(func() error {
		e.stop()
		e.sweeping.Wait()
		return errors.Join(e.pool.close(), e.writer.close())
	})
	return e, nil
}

// Close closes the file after the writes under way. Calls then fail.
func (e *Engine) Close() error { return e.close() }

// The file is marked as one of this engine, with the version of its schema.
const (
	applicationID = 0x70636f6d // "pcom"
	format        = 1
)

var schema = []string{
	// The number of the next view, and the generation of the definitions.
	`CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`,
	`INSERT INTO counters VALUES ('view', 0), ('generation', 0)`,
	// sequence is the number of the last record in the table's stream. horizon is the number of the
	// last dropped record.
	`CREATE TABLE tables (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, definition BLOB NOT NULL,
		sequence INTEGER NOT NULL DEFAULT 0, horizon INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0)`,
	// Items, and their projections in indexes.
	`CREATE TABLE rows (key BLOB PRIMARY KEY, item BLOB NOT NULL) WITHOUT ROWID`,
	`CREATE TABLE records (stream INTEGER NOT NULL, sequence INTEGER NOT NULL, made INTEGER NOT NULL,
		record BLOB NOT NULL, PRIMARY KEY (stream, sequence)) WITHOUT ROWID`,
	// When rows of items expire, in seconds since 1970.
	`CREATE TABLE expiries (at INTEGER NOT NULL, key BLOB NOT NULL, stream INTEGER NOT NULL,
		PRIMARY KEY (at, key)) WITHOUT ROWID`,
	fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
	fmt.Sprintf(`PRAGMA user_version = %d`, format),
}

// create makes the tables of an empty file. It refuses a file of another program or format.
func create(c *conn) error {
	if err := c.exec("BEGIN IMMEDIATE"); err != nil { // another process may be at it
		return err
	}
	err := createOnce(c)
	if err == nil {
		err = c.exec("COMMIT")
	}
	if err != nil {
		_ = c.exec("ROLLBACK") // it fails if SQLite has rolled back itself
	}
	return err
}

func createOnce(c *conn) error {
	row, err := c.first(`SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version
		FROM pragma_application_id, pragma_user_version`)
	if err != nil {
		return err
	}
	switch tables, id, version := numberAt(row, 0), numberAt(row, 1), numberAt(row, 2); {
	case tables > 0 && id != applicationID:
		return errors.New("it was written by another program, such as an earlier version of this one: " +
			"export its comments with that version, then import them into another --data-dir")
	case tables > 0 && version != format:
		return fmt.Errorf("it has format %d, and this version of the program reads format %d: "+
			"use the version that wrote it, or export with that and import with this one", version, format)
	case tables > 0:
		return nil
	}
	for _, statement := range schema {
		if err := c.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

func text(s *string) string { return aws.ToString(s) }
