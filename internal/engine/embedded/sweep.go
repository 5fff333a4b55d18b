package embedded

import (
	"context"
	"database/sql/driver"
	"time"

	"product-comments/internal/engine/dynamo"
)

const (
	sweepEvery = 10 * time.Second
	// maxSwept bounds the rows of one transaction, because other writes wait for its end.
	maxSwept = 100
)

// sweepOften calls Sweep at intervals until the context ends. Every process with the file does so,
// because any other process may end.
func (e *Engine) sweepOften(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(sweepEvery):
			// The next calls report an error of the file too, and the next sweep repeats a failed
			// one.
			_ = e.Sweep(ctx)
		}
	}
}

// Sweep removes expired items, and records older than 24 hours.
func (e *Engine) Sweep(ctx context.Context) error {
	for {
		due := false
		err := e.pool.read(ctx, func(c *conn) (err error) {
			due, err = isDue(c, e.now())
			return err
		})
		if err != nil || !due {
			return err
		}
		if err := e.writer.write(ctx, func(t *tx) error { return t.sweep() }); err != nil {
			return err
		}
	}
}

// isDue reports whether there is something to sweep.
func isDue(c *conn, now time.Time) (bool, error) {
	row, err := c.first(`SELECT EXISTS (SELECT 1 FROM expiries WHERE at <= ?) OR EXISTS (
		SELECT 1 FROM tables WHERE (SELECT made FROM records WHERE stream = id ORDER BY sequence LIMIT 1) <= ?)`,
		now.Unix(), now.Add(-dynamo.TrimAge).UnixMilli())
	return err == nil && numberAt(row, 0) != 0, err
}

func (t *tx) sweep() error {
	if err := t.trim(); err != nil {
		return err
	}
	var rows [][]byte
	var names []string
	err := t.each(`SELECT key, name FROM expiries JOIN tables ON id = stream WHERE at <= ? ORDER BY at LIMIT ?`,
		[]any{t.now.Unix(), int64(maxSwept)}, func(row []driver.Value) (bool, error) {
			rows, names = append(rows, bytesAt(row, 0)), append(names, row[1].(string))
			return true, nil
		})
	for i := 0; i < len(rows) && err == nil; i++ {
		err = t.expire(names[i], rows[i])
	}
	return err
}

// expire removes the item of a row if it has expired, and the row with its expiry.
func (t *tx) expire(name string, row []byte) error {
	if err := t.exec(`DELETE FROM expiries WHERE at <= ? AND key = ?`, t.now.Unix(), row); err != nil {
		return err
	}
	of, err := t.table(name)
	if err != nil {
		return err
	}
	was, _, err := t.get(row)
	if at, ok := expiryOf(of, was.item); err != nil || !ok || at > t.now.Unix() {
		return err
	}
	return t.change(of, was.item, was, nil, true)
}

// trim drops old records.
func (t *tx) trim() error {
	type horizon struct{ stream, sequence int64 }
	var all []horizon
	old := t.now.Add(-dynamo.TrimAge).UnixMilli()
	err := t.each(`SELECT id, (SELECT max(sequence) FROM (
			SELECT sequence, made FROM records WHERE stream = id ORDER BY sequence LIMIT ?) WHERE made <= ?)
		FROM tables`, []any{int64(maxSwept), old}, func(row []driver.Value) (bool, error) {
		if sequence := numberAt(row, 1); sequence > 0 {
			all = append(all, horizon{numberAt(row, 0), sequence})
		}
		return true, nil
	})
	for _, h := range all {
		if err == nil {
			err = t.exec(`UPDATE tables SET horizon = ? WHERE id = ?`, h.sequence, h.stream)
		}
		if err == nil {
			err = t.exec(`DELETE FROM records WHERE stream = ? AND sequence <= ?`, h.stream, h.sequence)
		}
	}
	return err
}
