package key

import (
	"strconv"
	"strings"
)

// summariesSK is the prefix of the sort keys of a product's attribute statistics.
const summariesSK = "V#"

// SummaryParts is the number of items that share the attributes of a product: a single item
// would be large, and an item for each attribute would be too many for a transaction.
const SummaryParts = 4

// SummaryPart returns the part of an attribute.
func SummaryPart(attribute string) int { return partOf(attribute, SummaryParts) }

// SummariesSK returns the sort key of the statistics of a part of a product's attributes, in
// one language or, if it is empty, in all: V#0#en, V#0.
func SummariesSK(part int, language string) string {
	sk := summariesSK + strconv.Itoa(part)
	if language != "" {
		sk += "#" + escape(language)
	}
	return sk
}

// ParseSummariesSK is the inverse of SummariesSK; ok is false for any other sort key.
func ParseSummariesSK(sk string) (part int, language string, ok bool) {
	rest, ok := strings.CutPrefix(sk, summariesSK)
	if !ok {
		return 0, "", false
	}
	digits, tag, of := strings.Cut(rest, "#")
	part, err := strconv.Atoi(digits)
	if err != nil || part < 0 || part >= SummaryParts {
		return 0, "", false
	}
	if of {
		if language, ok = unescape(tag); !ok || language == "" {
			return 0, "", false
		}
	}
	return part, language, SummariesSK(part, language) == sk
}
