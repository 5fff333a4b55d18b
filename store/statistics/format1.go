package statistics

import (
	"encoding/binary"

	"product-comments/store/stats"
	"product-comments/store/table"
)

// attrFormat1 has in tables of format 1 what attrDetails has in later ones; M of B, by
// language. Servers of both formats read and write it while a table has that number.
const attrFormat1 = "kinds"

// counts1 are the counts of a language as format 1 spells them: sums that include each
// other instead of kinds.
type counts1 struct{ all, texts, verified, both, bytes stats.Tally }

// numbers are the counts in the order in which they are stored: for each rating how many
// comments, how many of them with a text, and the bytes of all; then for each how many are
// by buyers, and how many of these have a text.
func (c *counts1) numbers() (all []*int) {
	for i := range c.all {
		all = append(all, &c.all[i], &c.texts[i], &c.bytes[i])
	}
	for i := range c.all {
		all = append(all, &c.verified[i], &c.both[i])
	}
	return all
}

// format1 spells details of languages as varints.
func format1(details map[string]stats.Detail) table.Item {
	m := make(table.Item, len(details))
	for language, d := range details {
		c := counts1{d.Of(0, 0), d.Of(0, stats.Text), d.Of(0, stats.Verified), d.Of(0, stats.Text|stats.Verified), d.Bytes}
		var b []byte
		for _, n := range c.numbers() {
			b = binary.AppendUvarint(b, uint64(*n))
		}
		m[language] = table.B(b)
	}
	return m
}

// parseFormat1 is the inverse of format1; ok is false for anything else.
func parseFormat1(m table.Item) (details map[string]stats.Detail, ok bool) {
	details = make(map[string]stats.Detail, len(m))
	for language := range m {
		var c counts1
		if rest, ok := cutNumbers(table.Bytes(m, language), c.numbers()...); !ok || len(rest) > 0 {
			return nil, false
		}
		d := stats.Detail{Bytes: c.bytes}
		for i := range c.all {
			of := func(w stats.Which) *int { return &d.Kinds[stats.KindOf(i+1, w)] }
			*of(stats.Text | stats.Verified) = c.both[i]
			*of(stats.Text), *of(stats.Verified) = c.texts[i]-c.both[i], c.verified[i]-c.both[i]
			*of(0) = c.all[i] - c.texts[i] - c.verified[i] + c.both[i]
		}
		details[language] = d
	}
	return details, true
}
