package key

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

const (
	authoredPrefix = "COMMENT#"
	casePrefix     = "CASE#"
	queuePrefix    = "QUEUE#"
	casesPrefix    = "CASES#"
	monthsPrefix   = "MONTHS#"
	// DecisionPrefix is the prefix of the sort keys of a comment's decisions.
	DecisionPrefix = "DECISION#"
	reportPrefix   = "REPORT#"
	// QueuedSK is the sort key of a comment's entry in the moderation queue.
	QueuedSK = "QUEUED"
	// ModesSK is the sort key of the item with a product's moderation mode.
	ModesSK = "MODERATION"
	// LooksSK is the sort key of the item that says who looks at a comment now.
	LooksSK = "LOOKS"
	// CasesSK is the sort key of counts of the queue.
	CasesSK = "COUNTS"
	// PaceSK and ReportPaceSK are the sort keys of the items with the times of a person's recent comments and reports.
	PaceSK       = "PACE"
	ReportPaceSK = PaceSK + "#REPORTS"
)

// Authored returns the sort key of a comment's entry in its author's list, whose partition is
// User: by state and then by time. State is the name of an item.State.
func Authored(state string, at Position) string { return authored(state) + at.SortKey() }

// AuthoredIn returns the span of an author's entries of one state with times at from or later
// and before another; a zero time is an open end.
func AuthoredIn(author, state string, from, before time.Time) Span {
	s := Span{Partition: Partition{Table, User(author)}, Prefix: authored(state)}
	s.From, s.To = bordersOf(s.Prefix)
	return s.Within(Times{from, before})
}

// ParseAuthored is the inverse of Authored; ok is false for other sort keys.
func ParseAuthored(sk string) (state string, at Position, ok bool) {
	rest, ok := strings.CutPrefix(sk, authoredPrefix)
	if !ok {
		return "", at, false
	}
	state, place, ok := strings.Cut(rest, "#")
	if !ok {
		return "", at, false
	}
	at, ok = ParseSortKey(place)
	return state, at, ok
}

func authored(state string) string { return authoredPrefix + state + "#" }

// IsAuthored reports whether an item is an entry of Authored.
func IsAuthored(pk, sk string) bool {
	return strings.HasPrefix(pk, userPrefix) && strings.HasPrefix(sk, authoredPrefix)
}

// Case returns the partition key of a comment's moderation data: its entry in the queue, its
// decisions and reports.
func Case(commentID string) string { return casePrefix + escape(commentID) }

// CaseOf is the inverse of Case; ok is false for any other item's key.
func CaseOf(pk string) (commentID string, ok bool) { return idAfter(pk, casePrefix) }

// Decision returns the sort key of a decision about a comment. The position at has the
// decision's time and name.
func Decision(at Position) string { return DecisionPrefix + at.SortKey() }

// Decisions returns exclusive bounds of the sort keys of a comment's decisions.
func Decisions() (after, until string) { return bordersOf(DecisionPrefix) }

// Report returns the sort key of a person's report of a comment.
func Report(subject string) string { return reportPrefix + escape(subject) }

// ReportOf is the inverse of Report; ok is false for other sort keys.
func ReportOf(sk string) (subject string, ok bool) { return idAfter(sk, reportPrefix) }

// noticePrefix begins the subjects of people who report without a token. No token may have such a subject.
const noticePrefix = "notice:"

// Notifier returns the subject of a person without a token, by the receipt of their report.
func Notifier(receipt string) string { return noticePrefix + receipt }

// IsNotifier reports whether a subject is of a person without a token.
func IsNotifier(subject string) bool { return strings.HasPrefix(subject, noticePrefix) }

// Notices returns exclusive bounds of the sort keys of a comment's reports by people without a token.
func Notices() (after, until string) {
	after = Report(noticePrefix)
	return after, after[:len(after)-1] + ";" // the character after :
}

// ReportsBy returns the partition of a person's reports in the index all, in the order of time.
func ReportsBy(subject string) Partition {
	return Partition{All, queuePrefix + "BY#" + escape(subject)}
}

// Reports returns exclusive bounds of the sort keys of a comment's reports.
func Reports() (after, until string) { return bordersOf(reportPrefix) }

// QueueParts is the number of partitions of each queue, which keeps any of them from becoming
// hot.
const QueueParts = 8

// QueuePart returns the part of a comment in its queue.
func QueuePart(commentID string) int { return partOf(commentID, QueueParts) }

// Queued are the partitions of a comment's entry in the queue, one for each filter. They lie in
// the indexes of comments with the same sort key, and share no partition with comments.
type Queued struct{ All, ByLang, ByReported, ByLangAndReported Partition }

// QueuedIn returns the partitions of a part of the queue of comments in a state, of one
// language, reported or not.
func QueuedIn(state, language string, reported bool, part int) Queued {
	of, r := queuePrefix+state, spellReported(reported)
	in := func(index Index, between string) Partition {
		return Partition{index, fmt.Sprintf("%s%s/%d", of, between, part)}
	}
	return Queued{
		All:               in(All, ""),
		ByLang:            in(ByLang, "/"+escape(language)),
		ByReported:        in(ByRating, "/"+r),
		ByLangAndReported: in(ByLangAndRating, "/"+escape(language)+"/"+r),
	}
}

// InQueue reports whether a partition belongs to the queue.
func InQueue(partition string) bool { return strings.HasPrefix(partition, queuePrefix) }

// CaseParts is the number of items with counts of the queue, and with counts of a month.
const CaseParts = 8

// CasePart returns the partition key of the item that counts a product's comments in the queue.
func CasePart(productID string) string { return CasePartition(casePart(productID)) }

// casePart divides products as the lanes of the projector do, so that no two lanes write one item.
func casePart(productID string) int {
	h := fnv.New64a()
	h.Write([]byte(productID))
	return int(h.Sum64() % CaseParts)
}

// MonthsPart returns the partition key of the items that count a product's comments by month. Their
// sort keys are months, such as 2026-11.
func MonthsPart(productID string) string { return MonthsPartition(casePart(productID)) }

// MonthsPartition returns the partition key of counts by month, 0 to CaseParts-1.
func MonthsPartition(n int) string { return fmt.Sprintf(monthsPrefix+"%d", n) }

// productMonthParts is the number of partitions with counts of products by month, which keeps any of
// them from becoming hot.
const productMonthParts = 64

// ProductMonth returns the key of the item that counts a product's comments of a month. The items of
// a product are next to each other, in the order of time.
func ProductMonth(productID, month string) (pk, sk string) {
	return productMonths(partOf(productID, productMonthParts)), escape(productID) + "#" + month
}

// ProductMonths returns the partition keys of ProductMonth.
func ProductMonths() (pks []string) {
	for n := range productMonthParts {
		pks = append(pks, productMonths(n))
	}
	return pks
}

func productMonths(n int) string { return fmt.Sprintf(monthsPrefix+"PRODUCT#%02d", n) }

// MonthOf returns the month of the sort key of counts by month.
func MonthOf(sk string) string { return sk[strings.LastIndexByte(sk, '#')+1:] }

// IsMonthsPart reports whether an item has counts of a month.
func IsMonthsPart(pk string) bool { return strings.HasPrefix(pk, monthsPrefix) }

// CasePartition returns the partition key of one of the counts, 0 to CaseParts-1.
func CasePartition(n int) string { return fmt.Sprintf(casesPrefix+"%d", n) }

// IsCasePart reports whether an item has counts of the queue.
func IsCasePart(pk string) bool { return strings.HasPrefix(pk, casesPrefix) }

// Counted returns the name of one count: comments of a state and language, reported or not.
func Counted(state, language string, reported bool) string {
	return state + "/" + escape(language) + "/" + spellReported(reported)
}

func spellReported(reported bool) string {
	if reported {
		return "reported"
	}
	return "-"
}

// ParseCounted is the inverse of Counted; ok is false for other names.
func ParseCounted(name string) (state, language string, reported, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[2] != "-" && parts[2] != "reported" {
		return "", "", false, false
	}
	language, ok = unescape(parts[1])
	return parts[0], language, parts[2] == "reported", ok
}
