package key

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// nodeSK and monthSK are the prefixes of the sort keys of nodes of page numbers and of months.
const (
	nodeSK  = "P#"
	monthSK = "M#"
)

// NodeSK returns the sort key of a node of a product's page numbers: its generation, its level,
// and the sort key of comments, or a prefix of one, at which it begins: P#0/1/2024.
func NodeSK(generation, level int, begin string) string {
	return fmt.Sprintf(nodeSK+"%d/%d/%s", generation, level, begin)
}

// NodesEnd returns an upper bound of the sort keys of the nodes of a level.
func NodesEnd(generation, level int) string { return fmt.Sprintf(nodeSK+"%d/%d0", generation, level) }

// ParseNodeSK is the inverse of NodeSK; ok is false for any other sort key.
func ParseNodeSK(sk string) (generation, level int, begin string, ok bool) {
	rest, ok := strings.CutPrefix(sk, nodeSK)
	parts := strings.SplitN(rest, "/", 3)
	if !ok || len(parts) < 3 {
		return 0, 0, "", false
	}
	generation, err1 := strconv.Atoi(parts[0])
	level, err2 := strconv.Atoi(parts[1])
	return generation, level, parts[2], err1 == nil && err2 == nil && NodeSK(generation, level, parts[2]) == sk
}

// monthForm spells a month.
const monthForm = "2006-01"

// MonthSK returns the sort key of the counts by day of a month: M#2024-03.
func MonthSK(month time.Time) string { return monthSK + month.UTC().Format(monthForm) }

// ParseMonthSK is the inverse of MonthSK; ok is false for any other sort key.
func ParseMonthSK(sk string) (month time.Time, ok bool) {
	rest, ok := strings.CutPrefix(sk, monthSK)
	month, err := time.Parse(monthForm, rest)
	return month, ok && err == nil
}
