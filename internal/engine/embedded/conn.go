package embedded

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// conn is a connection to the file, with its prepared statements. One goroutine at a time uses it.
// It bypasses database/sql, which takes more time than SQLite for a short query.
type conn struct {
	driver.Conn
	prepared map[string]statement
}

// statement is a prepared statement of the driver.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// pragmas of every connection, in this order. A transaction of another process that takes longer
// than busy_timeout, in milliseconds, makes a call fail. For synchronous see the package's comment. A
// checkpoint after each 16 MB writes a page once that many transactions have changed.
var pragmas = []string{
	"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "journal_size_limit(67108864)",
	"wal_autocheckpoint(4000)", "cache_size(-8192)", "temp_store(MEMORY)",
}

// connect opens a connection.
func connect(ctx context.Context, file string) (*conn, error) {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas}.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	c, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{c, map[string]statement{}}, nil
}

func (c *conn) close() error {
	var err error
	for _, s := range c.prepared {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, c.Conn.Close())
}

// statement prepares a statement, or finds it.
func (c *conn) statement(query string) (statement, error) {
	if s := c.prepared[query]; s != nil {
		return s, nil
	}
	prepared, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(statement)
	if !ok {
		return nil, fmt.Errorf("statements of the type %T are not supported", prepared)
	}
	c.prepared[query] = s
	return s, nil
}

func named(arguments []any) []driver.NamedValue {
	out := make([]driver.NamedValue, len(arguments))
	for i, a := range arguments {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

// exec runs a statement. Arguments are int64, string or []byte.
func (c *conn) exec(query string, arguments ...any) error {
	s, err := c.statement(query)
	if err == nil {
		_, err = s.ExecContext(context.Background(), named(arguments))
	}
	return ofFile(err)
}

// each calls row with every row of a query until row returns false. The slice is valid only during
// the call; the texts and bytes in it remain valid.
func (c *conn) each(query string, arguments []any, row func([]driver.Value) (more bool, err error)) error {
	s, err := c.statement(query)
	if err != nil {
		return ofFile(err)
	}
	rows, err := s.QueryContext(context.Background(), named(arguments))
	if err != nil {
		return ofFile(err)
	}
	values := make([]driver.Value, len(rows.Columns()))
	for more := true; more && err == nil; {
		if err = ofFile(rows.Next(values)); err == nil {
			more, err = row(values)
		}
	}
	if closed := rows.Close(); err == nil || errors.Is(err, io.EOF) {
		err = ofFile(closed)
	}
	return err
}

// first returns the columns of the first row; nil if there is none.
func (c *conn) first(query string, arguments ...any) (out []driver.Value, err error) {
	err = c.each(query, arguments, func(row []driver.Value) (bool, error) {
		out = row
		return false, nil
	})
	return out, err
}

// bytesAt and numberAt return a column of a known type.
func bytesAt(row []driver.Value, i int) []byte {
	b, _ := row[i].([]byte) // nil for no bytes
	return b
}

func numberAt(row []driver.Value, i int) int64 {
	n, _ := row[i].(int64)
	return n
}
