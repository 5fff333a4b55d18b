package key

import "strings"

// Span is what a scan reads of a partition, and how the positions of a list are spelled
// there as sort keys: what Prefix says, which all of them begin with, and the position.
type Span struct {
	Partition Partition
	Prefix    string
	// From and To are sort keys between which the span lies; no item is at either. Empty
	// is an open end.
	From, To string
	Times    Times // which of its comments it has, see Within
}

// SpansOf returns the spans of whole partitions.
func SpansOf(partitions []Partition) []Span {
	spans := make([]Span, len(partitions))
	for i, in := range partitions {
		spans[i].Partition = in
	}
	return spans
}

// afterAll is greater than the first character of any position.
const afterAll = "\xff"

// ValuesBetween returns the span of a column of values from least to most, both included;
// nil is an open end. Its positions have values.
func ValuesBetween(column Partition, least, most []byte) Span {
	s := Span{Partition: column, From: string(least)}
	if most != nil {
		s.To = string(most) + afterAll
	}
	return s
}

// OfValue returns the span of the comments of a column that have one value, in which they
// are in the order of time: its positions have no values.
func OfValue(column Partition, value string) Span {
	return Span{Partition: column, Prefix: value, From: value, To: value + afterAll}
}

// SortKey spells a position as a sort key of the span.
func (s Span) SortKey(at Position) string {
	switch {
	case s.Partition.Index == OrdersByStatus:
		return s.Prefix + at.statusDate()
	case s.Partition.ranked():
		return at.Value + "#" + escape(at.CommentID)
	}
	return s.Prefix + at.SortKey()
}

// Position is the inverse of SortKey; ok is false for what is no sort key of the span.
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

// Contains reports whether a sort key lies between the borders of the span.
func (s Span) Contains(sortKey string) bool {
	return sortKey > s.From && (s.To == "" || sortKey < s.To)
}

// Clip returns where a scan of a range begins and ends: at the nearer of the borders of the
// span and of the range. ok is false if nothing lies between.
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

// CutValue cuts a sort key that ends in a position into the value before it and the
// position's own. Escaped ids have no #.
func CutValue(sortKey string) (value, position string, ok bool) {
	i := strings.LastIndexByte(sortKey, '#') - timeDigits
	if i < 0 {
		return "", "", false
	}
	return sortKey[:i], sortKey[i:], true
}

// StartKey returns the LastEvaluatedKey of a query of the partition that ended at a sort
// key, that of the item of an id, which need not exist: attribute name to value.
func (in Partition) StartKey(sortKey, id string) map[string]string {
	start := map[string]string{in.Index.PartitionKey: in.Value, in.Index.SortKey: sortKey}
	switch {
	case in.Index == Table || in.Index.Apart():
	case in.Index == Open: // whose order it was is not known, so it may be read again
		start[PK], start[SK] = User(""), Order(id)
	case strings.HasPrefix(in.Value, userPrefix):
		start[PK], start[SK] = in.Value, Order(id)
	case InQueue(in.Value):
		start[PK], start[SK] = Case(id), QueuedSK
	case strings.HasPrefix(in.Value, scores):
		start[PK], start[SK] = Product(id), scoreSK+strings.TrimPrefix(in.Value, scores)
	case in.ranked(): // of the statistics of its language
		start[PK], start[SK] = Product(id), statisticsSK+strings.TrimPrefix(in.Value, leaders)
	default:
		start[PK], start[SK] = Comment(id), Comment(id)
	}
	return start
}
