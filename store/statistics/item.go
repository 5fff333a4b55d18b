package statistics

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// Attributes of a statistics item beside its keys and its index.Head. An item that counts nothing
// does not exist.
const (
	attrCount     = "count_"      // N, with the rating: count_1 to count_5
	attrTotal     = "count_total" // N
	attrBytes     = "bytes_"      // N, with the rating: their size
	attrLargest   = "largest"     // N, bytes
	attrLanguages = "langs"       // M of N: comments in each language; in the item S only
	attrOthers    = "langsOther"  // N, comments in languages that langs does not list
	attrDetails   = "kinds"       // M of B: of each of langs, how many there are of each rating, how many of them with a text, by buyers or both, and their size; see detailBytes
	attrPlaced    = "placed"      // N, when its place in the leaderboard was written; seconds since 1970
)

// statisticsItem is a statistics item as it was read.
type statisticsItem struct {
	stats.Measured
	index.Head
	place   int  // number of fives in its place in the leaderboard; 0 if it has none
	pending bool // its place is to be written later
	placed  time.Time
}

// primaryKey is the primary key of a scope's item.
func primaryKey(scope stats.Scope) table.Item {
	return table.KeyOf(key.Product(scope.ProductID), key.StatisticsSK(scope.Language))
}

// parse reads the item of a scope.
func parse(scope stats.Scope, it table.Item) (s statisticsItem, err error) {
	if s.Head, err = index.ParseHead(it); err != nil {
		return s, err
	}
	placed := 0
	into := map[string]*int{attrLargest: &s.Largest, attrPlaced: &placed, attrOthers: &s.OtherLanguages}
	for i := range s.Tally {
		into[attrCount+strconv.Itoa(i+1)] = &s.Tally[i]
		into[attrBytes+strconv.Itoa(i+1)] = &s.Bytes[i]
	}
	if err := table.Numbers(it, into); err != nil {
		return s, err
	}
	if placed > 0 {
		s.placed = time.Unix(int64(placed), 0)
	}
	board := key.Leaders(scope.Language).Index
	if _, ok := it[board.PartitionKey]; ok {
		rank, _ := key.ParseRank(table.Text(it, board.SortKey))
		s.place = rank.FiveStars
	}
	_, s.pending = it[key.GSI2PK]
	languages, _ := it[attrLanguages].(*types.AttributeValueMemberM)
	if languages == nil {
		return s, nil
	}
	s.Languages = make(map[string]int, len(languages.Value))
	for language := range languages.Value {
		n, err := table.Number(languages.Value, language)
		if err != nil {
			return s, table.Damaged(it, err)
		}
		s.Languages[language] = n
	}
	if details, ok := it[attrDetails].(*types.AttributeValueMemberM); ok {
		s.Details = make(map[string]stats.Detail, len(details.Value))
		for language := range details.Value {
			d, ok := parseDetail(table.Bytes(details.Value, language))
			if !ok {
				return s, table.Damaged(it, errDetail)
			}
			s.Details[language] = d
		}
	}
	return s, nil
}

var errDetail = errors.New("the counts of a language are cut off")

// numbers are the counts of a language in the order in which they are stored: for each
// rating how many comments, how many of them with a text, and the bytes of all; then
// for each how many are by buyers, and how many of these have a text.
func numbers(d *stats.Detail) (all []*int) {
	for i := range d.Tally {
		all = append(all, &d.Tally[i], &d.Texts[i], &d.Bytes[i])
	}
	for i := range d.Tally {
		all = append(all, &d.Verified[i], &d.VerifiedTexts[i])
	}
	return all
}

// detailBytes spells the counts of a language as varints.
func detailBytes(d stats.Detail) (b []byte) {
	for _, n := range numbers(&d) {
		b = binary.AppendUvarint(b, uint64(*n))
	}
	return b
}

// parseDetail is the inverse of detailBytes; ok is false for any other bytes.
func parseDetail(b []byte) (d stats.Detail, ok bool) {
	for _, to := range numbers(&d) {
		n, width := binary.Uvarint(b)
		if width <= 0 {
			return d, false
		}
		*to, b = int(n), b[width:]
	}
	return d, len(b) == 0
}

// as returns the statistics as a generation sees them: those of an older one
// count nothing.
func (s statisticsItem) as(generation int) stats.Measured {
	if s.Generation < generation {
		return stats.Measured{}
	}
	return s.Measured
}

// spell returns the item of a scope with other statistics of a generation, but for its
// head.
func (s *Statistics) spell(scope stats.Scope, old statisticsItem, to stats.Measured, generation int) table.Item {
	it := primaryKey(scope)
	for i, n := range to.Tally {
		it[attrCount+strconv.Itoa(i+1)] = table.N(n)
		it[attrBytes+strconv.Itoa(i+1)] = table.N(to.Bytes[i])
	}
	it[attrTotal] = table.N(to.Total())
	it[attrLargest] = table.N(to.Largest)
	if to.Languages != nil {
		languages := make(table.Item, len(to.Languages))
		for language, n := range to.Languages {
			languages[language] = table.N(n)
		}
		it[attrLanguages] = &types.AttributeValueMemberM{Value: languages}
	}
	if to.Details != nil {
		details := make(table.Item, len(to.Details))
		for language, d := range to.Details {
			details[language] = table.B(detailBytes(d))
		}
		it[attrDetails] = &types.AttributeValueMemberM{Value: details}
	}
	if to.OtherLanguages > 0 {
		it[attrOthers] = table.N(to.OtherLanguages)
	}
	s.setPlace(it, scope, old, to.Tally[4], generation)
	return it
}
