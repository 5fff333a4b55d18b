package embedded

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// counters are the counts that changes of a table's items alter. A transaction writes them once.
type counters struct{ sequence, items int64 }

func (t *tx) counters(of *table) (*counters, error) {
	if c := t.streams[of]; c != nil {
		return c, nil
	}
	row, err := t.first(`SELECT sequence, items FROM tables WHERE id = ?`, of.id)
	if err != nil {
		return nil, err
	}
	c := &counters{numberAt(row, 0), numberAt(row, 1)}
	t.streams[of] = c
	return c, nil
}

// count writes the counters.
func (t *tx) count() error {
	for of, c := range t.streams {
		if err := t.exec(`UPDATE tables SET sequence = ?, items = ? WHERE id = ?`, c.sequence, c.items, of.id); err != nil {
			return err
		}
	}
	return nil
}

// stored is an item with its stored form.
type stored struct {
	item  dynamo.Item
	bytes []byte
}

const selectRow = `SELECT item FROM rows WHERE key = ?`

// get reads an item by its row's key; both fields are nil if there is none.
func (c *conn) get(row []byte) (stored, int, error) {
	found, err := c.first(selectRow, row)
	if err != nil || found == nil {
		return stored{}, 0, err
	}
	s := stored{bytes: bytesAt(found, 0)}
	var size int
	s.item, size, err = decode(s.bytes)
	return s, size, err
}

func (t *tx) put(row, item []byte) error {
	return t.exec(`INSERT INTO rows (key, item) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item`, row, item)
}

func (t *tx) remove(row []byte) error { return t.exec(`DELETE FROM rows WHERE key = ?`, row) }

// change replaces an item by its new value; nil deletes it. A write that changes nothing is no
// change.
func (t *tx) change(of *table, key dynamo.Item, before stored, now dynamo.Item, expired bool) error {
	if (before.item == nil) == (now == nil) && dynamo.Equal(before.item, now) {
		return nil
	}
	after := stored{now, encode(now)}
	row := of.row(key)
	var err error
	if now == nil {
		err = t.remove(row)
	} else {
		err = t.put(row, after.bytes)
	}
	if err != nil {
		return err
	}
	for _, index := range of.Indexes {
		if err := t.changeIndex(of.view(index), index, before.item, now); err != nil {
			return err
		}
	}
	if err := t.changeExpiry(of, row, before.item, now); err != nil {
		return err
	}
	return t.record(of, before, after, expired)
}

func (t *tx) changeIndex(view uint32, index *dynamo.View, before, after dynamo.Item) error {
	was, had := index.Position(before)
	is, has := index.Position(after)
	if had && (!has || was != is) {
		if err := t.remove(rowKey(view, was, true)); err != nil {
			return err
		}
	}
	if !has {
		return nil
	}
	shown := index.Shown(after)
	if had && was == is && dynamo.Equal(index.Shown(before), shown) {
		return nil
	}
	return t.put(rowKey(view, is, true), encode(shown))
}

// record adds a change to the table's stream.
func (t *tx) record(of *table, before, after stored, expired bool) error {
	c, err := t.counters(of)
	if err != nil {
		return err
	}
	switch {
	case before.item == nil:
		c.items++
	case after.item == nil:
		c.items--
	}
	if !dynamo.HasStream(of.Create) {
		return nil
	}
	c.sequence++
	record := make([]byte, 1, 1+binary.MaxVarintLen64+len(before.bytes)+len(after.bytes))
	if expired {
		record[0] = 1
	}
	record = append(binary.AppendUvarint(record, uint64(len(before.bytes))), before.bytes...)
	return t.exec(`INSERT INTO records (stream, sequence, made, record) VALUES (?, ?, ?, ?)`,
		of.id, c.sequence, t.now.UnixMilli(), append(record, after.bytes...))
}

// recordOf returns the images of a stored record.
func recordOf(record []byte) (before, after dynamo.Item, expired bool, err error) {
	if len(record) == 0 {
		return nil, nil, false, errDamaged
	}
	n, width := binary.Uvarint(record[1:])
	rest := record[1+max(width, 0):]
	if width <= 0 || n > uint64(len(rest)) {
		return nil, nil, false, errDamaged
	}
	if before, _, err = decode(rest[:n]); err == nil {
		after, _, err = decode(rest[n:])
	}
	return before, after, record[0] == 1, err
}

// expiryOf returns when an item expires; ok is false if it never expires.
func expiryOf(of *table, it dynamo.Item) (at int64, ok bool) {
	n, ok := it[of.Expires].(*types.AttributeValueMemberN)
	if !ok || of.Expires == "" {
		return 0, false
	}
	at, err := strconv.ParseInt(n.Value, 10, 64)
	return at, err == nil
}

// changeExpiry stores the time at which an item expires.
func (t *tx) changeExpiry(of *table, row []byte, before, after dynamo.Item) error {
	was, had := expiryOf(of, before)
	is, has := expiryOf(of, after)
	if had == has && was == is {
		return nil
	}
	if had {
		if err := t.exec(`DELETE FROM expiries WHERE at = ? AND key = ?`, was, row); err != nil {
			return err
		}
	}
	if !has || t.now.Sub(time.Unix(is, 0)) > forgottenExpiry {
		return nil
	}
	return t.exec(`INSERT OR IGNORE INTO expiries (at, key, stream) VALUES (?, ?, ?)`, is, bytes.Clone(row), of.id)
}

// forgottenExpiry is the minimum age of an expiry that DynamoDB ignores as a mistake.
const forgottenExpiry = 5 * 365 * 24 * time.Hour
