package tree

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// Row is a comment in page numbers.
type Row struct {
	At       key.Position // with time and id alone
	Language string
	Kind     stats.Kind
}

// Compare orders rows from the oldest to the newest.
func (r Row) Compare(o Row) int { return r.At.Compare(o.At) }

// Same reports whether two rows are equal.
func (r Row) Same(o Row) bool {
	return r.Compare(o) == 0 && r.Language == o.Language && r.Kind == o.Kind
}

// Flags in the first byte of a row: the encoding of its time, as the difference from the time of
// the row before it, and of its id. The other bits of the byte are the number of its language.
const (
	inSeconds = iota // seconds
	inMillis         // milliseconds
	inNanos          // nanoseconds
	inBoth           // seconds, then nanoseconds

	isULID = 1 << 2 // the id is a ULID: milliseconds from the row's time to its time, and ten bytes

	languageShift = 3
	farLanguage   = 1<<(8-languageShift) - 1 // the number follows the byte
)

// maxDifference is the least number of seconds that inNanos cannot encode.
const maxDifference = 1 << 33

// AppendRows appends encoded rows, which must be in order: the number of languages, their names,
// and each row.
func AppendRows(b []byte, rows []Row) []byte {
	var languages []string
	for _, r := range rows {
		if !slices.Contains(languages, r.Language) {
			languages = append(languages, r.Language)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(languages)))
	for _, language := range languages {
		b = stats.AppendText(b, language)
	}
	var before time.Time
	for _, r := range rows {
		b = appendRow(b, r, before, slices.Index(languages, r.Language))
		before = r.At.CreatedAt
	}
	return b
}

func appendRow(b []byte, r Row, before time.Time, language int) []byte {
	at := r.At.CreatedAt
	seconds, nanos := at.Unix()-before.Unix(), int64(at.Nanosecond()-before.Nanosecond())
	if nanos < 0 {
		seconds, nanos = seconds-1, nanos+int64(time.Second)
	}
	head, number := byte(inNanos), []int64{seconds*int64(time.Second) + nanos}
	switch {
	case nanos == 0:
		head, number = inSeconds, []int64{seconds}
	case seconds >= maxDifference:
		head, number = inBoth, []int64{seconds, nanos}
	case nanos%int64(time.Millisecond) == 0:
		head, number = inMillis, []int64{seconds*1000 + nanos/int64(time.Millisecond)}
	}
	id, err := ulid.ParseStrict(r.At.CommentID)
	is := err == nil && id.String() == r.At.CommentID
	if is {
		head |= isULID
	}
	b = append(b, head|byte(min(language, farLanguage))<<languageShift)
	if language >= farLanguage {
		b = binary.AppendUvarint(b, uint64(language))
	}
	b = append(b, byte(r.Kind))
	for _, n := range number {
		b = binary.AppendUvarint(b, uint64(n))
	}
	if !is {
		return stats.AppendText(b, r.At.CommentID)
	}
	b = binary.AppendVarint(b, int64(id.Time())-at.UnixMilli())
	return append(b, id[6:]...)
}

// ParseRows is the inverse of AppendRows; ok is false for any other bytes.
func ParseRows(b []byte) (rows []Row, ok bool) {
	r := stats.Reader{B: b}
	languages := make([]string, 0, 8)
	for n := r.Uvarint(); n > 0 && !r.Damaged; n-- {
		languages = append(languages, r.Text())
	}
	var before time.Time
	for r.More() {
		row := rowOf(&r, before, languages)
		if before = row.At.CreatedAt; !row.Kind.Valid() || len(rows) > 0 && rows[len(rows)-1].Compare(row) >= 0 {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, !r.Damaged
}

func rowOf(r *stats.Reader, before time.Time, languages []string) (row Row) {
	head := r.Bytes(1)[0]
	language := int64(head >> languageShift)
	if language == farLanguage {
		language = r.Uvarint()
	}
	row.Kind = stats.Kind(r.Bytes(1)[0])
	if r.Damaged || language >= int64(len(languages)) || language < 0 {
		r.Damaged = true
		return row
	}
	row.Language = languages[language]
	var seconds, nanos int64
	switch n := r.Uvarint(); head & (isULID - 1) {
	case inSeconds:
		seconds = n
	case inMillis:
		seconds, nanos = n/1000, n%1000*int64(time.Millisecond)
	case inNanos:
		seconds, nanos = n/int64(time.Second), n%int64(time.Second)
	case inBoth:
		seconds, nanos = n, r.Uvarint()
	}
	at := time.Unix(before.Unix()+seconds, int64(before.Nanosecond())+nanos).UTC()
	row.At.CreatedAt = at
	if head&isULID == 0 {
		row.At.CommentID = r.Text()
		return row
	}
	var id ulid.ULID
	err := id.SetTime(uint64(at.UnixMilli() + r.Varint()))
	copy(id[6:], r.Bytes(10))
	r.Damaged = r.Damaged || err != nil
	row.At.CommentID = id.String()
	return row
}

// size returns the number of bytes of encoded rows.
func size(rows []Row) int { return len(AppendRows(nil, rows)) }

// countOf returns the counts of rows.
func countOf(rows []Row) stats.ByLanguage {
	c := stats.ByLanguage{}
	for _, r := range rows {
		c.Add(r.Language, r.Kind, 1)
	}
	return c
}
