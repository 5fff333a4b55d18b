package counts

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Attributes of an item of statistics besides its keys and its index.Head. There is no item for
// counts of zero.
const (
	attrCount     = "count_"      // N, with the rating: count_1 to count_5
	attrTotal     = "count_total" // N
	attrBytes     = "bytes_"      // N, with the rating: their size
	attrLargest   = "largest"     // N, bytes
	attrLanguages = "langs"       // M of N: comments in each language; in the item S only
	attrOthers    = "langsOther"  // N, number of comments in languages that langs does not list
	attrDetails   = "by"          // B: for each of langs, the number of comments of each kind, and their size; see detailsBytes
	attrRows      = "rows"        // B: the comments of a product without a tree of page numbers; see tree.AppendRows
	attrRoot      = "root"        // B: the root of its tree; see tree.Node.Bytes
	attrMark      = "mark"        // N, random, changes with every change of the tree
	attrPlaced    = "placed"      // N, the time when its places in the leaderboards were written, in seconds since 1970
	attrScore     = "score"       // N, score of its entry in the leaderboard by score; absent without an entry
)

// statisticsItem is a parsed item of statistics.
type statisticsItem struct {
	stats.Measured
	index.Head
	place   int  // number of fives in its place in the leaderboard; 0 without a place
	score   int  // of its entry in the leaderboard by score; 0 without an entry
	pending bool // its places must be written later
	placed  time.Time
	pages   tree.State
}

// primaryKey is the primary key of a scope's item.
func primaryKey(scope stats.Scope) index.Key {
	return index.Key{PK: key.Product(scope.ProductID), SK: key.StatisticsSK(scope.Language)}
}

// parse reads the item of a scope.
func parse(scope stats.Scope, it table.Item) (s statisticsItem, err error) {
	if s.Head, err = index.ParseHead(it); err != nil {
		return s, err
	}
	placed := 0
	into := table.Fields{attrLargest: &s.Largest, attrPlaced: &placed, attrScore: &s.score, attrOthers: &s.OtherLanguages, attrMark: &s.pages.Mark}
	for i := range s.Tally {
		into[attrCount+strconv.Itoa(i+1)] = &s.Tally[i]
		into[attrBytes+strconv.Itoa(i+1)] = &s.Bytes[i]
	}
	if err := table.Read(it, into); err != nil {
		return s, err
	}
	if s.pages.Root = table.Bytes(it, attrRoot); len(s.pages.Root) > 0 {
		s.pages.Kept, s.pages.Height = true, int(s.pages.Root[0])
	} else if it[attrRows] != nil {
		if s.pages.Rows, s.pages.Kept = tree.ParseRows(table.Bytes(it, attrRows)); !s.pages.Kept {
			return s, table.Damaged(it, errRows)
		}
	}
	if placed > 0 {
		s.placed = time.Unix(int64(placed), 0)
	}
	board := key.Leaders(scope.Language).Index
	if _, ok := it[board.PartitionKey]; ok {
		rank, _ := key.ParseRank(table.Text(it, board.SortKey))
		s.place = rank.Number
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
	ok := true
	if b := table.Bytes(it, attrDetails); b != nil {
		s.Details, ok = parseDetails(b)
	}
	if !ok {
		return s, table.Damaged(it, errDetail)
	}
	return s, nil
}

var (
	errDetail = errors.New("the counts of a language are cut off")
	errRows   = errors.New("its list of comments is cut off")
)

// detailsBytes encodes the counts of languages: for each language its name, its kinds, and the
// bytes of each rating.
func detailsBytes(details map[string]stats.Detail) []byte {
	b := []byte{} // not nil, which DynamoDB's client would encode as null
	for _, language := range slices.Sorted(maps.Keys(details)) {
		d := details[language]
		b = d.Append(stats.AppendText(b, language))
		for _, n := range d.Bytes {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// parseDetails is the inverse of detailsBytes; ok is false for invalid bytes.
func parseDetails(b []byte) (details map[string]stats.Detail, ok bool) {
	r := stats.Reader{B: b}
	for details = map[string]stats.Detail{}; r.More(); {
		language, d := r.Text(), stats.Detail{Kinds: r.Kinds()}
		for i := range d.Bytes {
			d.Bytes[i] = r.Count()
		}
		details[language] = d
	}
	return details, !r.Damaged
}

// atGeneration returns the statistics that a generation sees: an item of an older generation counts
// nothing.
func (s statisticsItem) atGeneration(generation int) stats.Measured {
	if s.Generation < generation {
		return stats.Measured{}
	}
	return s.Measured
}

// spell returns the item of a scope with new statistics, without its index.Head.
func (s *Statistics) spell(scope stats.Scope, old statisticsItem, to stats.Measured, now settings.Scoring, generation int) table.Item {
	it := primaryKey(scope).Item(key.Table)
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
	if len(to.Details) > 0 {
		it[attrDetails] = table.B(detailsBytes(to.Details))
	}
	if to.OtherLanguages > 0 {
		it[attrOthers] = table.N(to.OtherLanguages)
	}
	if to.Total() > 0 {
		SetPages(it, old.pages)
	}
	s.setPlaces(it, scope, old, to.Tally, now, generation)
	return it
}
