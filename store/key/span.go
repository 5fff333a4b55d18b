package key

import "strings"

// Span is the part of a partition that a scan reads. Its sort keys are Prefix followed by a
// position of the list.
type Span struct {
	Partition Partition
	Prefix    string
	// From and To are exclusive bounds of the sort keys; no item has either as its sort key.
	// Empty is an open end.
	From, To string
	Times    Times // range of creation times, see Within
}

// SpansOf returns the spans of whole partitions.
func SpansOf(partitions []Partition) []Span {
	spans := make([]Span, len(partitions))
	for i, in := range partitions {
		spans[i].Partition = in
	}
	return spans
}

// afterAll sorts after the first character of any position.
const afterAll = "\xff"

// ValuesBetween returns the span of an attribute's values from least to most, inclusive; nil is an
// open end. Its positions have values.
func ValuesBetween(column Partition, least, most []byte) Span {
	s := Span{Partition: column, From: string(least)}
	if most != nil {
		s.To = string(most) + afterAll
	}
	return s
}

// OfValue returns the span of comments with one value of an attribute, in the order of time. Its
// positions have no values.
func OfValue(column Partition, value string) Span {
	return Span{Partition: column, Prefix: value, From: value, To: value + afterAll}
}

// SortKey returns a position as a sort key of the span.
func (s Span) SortKey(at Position) string {
	switch {
	case s.Partition.Index == OrdersByStatus:
		return s.Prefix + at.statusDate()
	case s.Partition.ranked():
		return at.Value + "#" + escape(at.CommentID)
	}
	return s.Prefix + at.SortKey()
}

// Position is the inverse of SortKey; ok is false for any other sort key.
func (s Span) Position(sortKey string) (at Position, ok bool) {
	rest, ok := strings.CutPrefix(sortKey, s.Prefix)
	switch {
	case !ok:
		return at, false
	case s.Partition.Index == OrdersByStatus:
		return parseStatusDate(rest)
	case s.Partition.ranked():
		rank, ok := ParseRank(rest)
		return rank.Position(), ok
	}
	value, rest, ok := CutValue(rest)
	if !ok || value != "" && !s.valued() {
		return at, false
	}
	at, ok = ParseSortKey(rest)
	at.Value = value
	return at, ok
}

// valued reports whether positions of the span have values.
func (s Span) valued() bool { return s.Prefix == "" && s.Partition.Index.Apart() }

// Contains reports whether a sort key lies within the bounds of the span.
func (s Span) Contains(sortKey string) bool {
	return sortKey > s.From && (s.To == "" || sortKey < s.To)
}

// Clip returns the intersection of the span and a range, in reading direction. ok is false if
// it is empty.
func (s Span) Clip(after, until *Position, descending bool) (begin, end string, ok bool) {
	begin, end = s.From, s.To
	if descending {
		begin, end = end, begin
	}
	ahead := func(a, b string) bool { return a != b && (a < b) != descending }
	if after != nil {
		if at := s.SortKey(*after); begin == "" || ahead(begin, at) {
			begin = at
		}
	}
	if until != nil {
		if at := s.SortKey(*until); end == "" || ahead(at, end) {
			end = at
		}
	}
	return begin, end, begin == "" || end == "" || ahead(begin, end)
}

// CutValue splits a sort key into the value and the position after it. Escaped ids have no #.
func CutValue(sortKey string) (value, position string, ok bool) {
	i := strings.LastIndexByte(sortKey, '#') - timeDigits
	if i < 0 {
		return "", "", false
	}
	return sortKey[:i], sortKey[i:], true
}

// StartKey returns the LastEvaluatedKey of a query of the partition that ended at the item with
// a sort key and an id. The item need not exist.
func (in Partition) StartKey(sortKey, id string) map[string]string {
	start := map[string]string{in.Index.PartitionKey: in.Value, in.Index.SortKey: sortKey}
	switch {
	case in.Index == Table || in.Index.Apart():
	case in.inRequests():
		start[PK], start[SK] = Request(id), Request(id)
	case strings.HasPrefix(in.Value, openPrefix): // the order's user is unknown, so the order may be read again
		start[PK], start[SK] = User(""), Order(id)
	case strings.HasPrefix(in.Value, userPrefix):
		start[PK], start[SK] = in.Value, Order(id)
	case areDuePhotos(in.Value):
		start[PK], start[SK] = Photo(id), Photo(id)
	case InQueue(in.Value):
		start[PK], start[SK] = Case(id), QueuedSK
	case strings.HasPrefix(in.Value, scores):
		start[PK], start[SK] = Product(id), scoreSK+strings.TrimPrefix(in.Value, scores)
	case in.ranked(): // the primary key of the statistics of its language
		start[PK], start[SK] = Product(id), statisticsSK+strings.TrimPrefix(in.Value, leaders)
	default:
		start[PK], start[SK] = Comment(id), Comment(id)
	}
	return start
}
