package key

import (
	"strconv"
	"strings"
)

// summariesSK begins the sort keys of the items with statistics of a product's
// attributes.
const summariesSK = "V#"

// SummaryParts is into how many items the attributes of a product are divided: one for
// all would be large, and one for each too many for a transaction.
const SummaryParts = 4

// SummaryPart returns the part that an attribute goes to.
func SummaryPart(attribute string) int { return partOf(attribute, SummaryParts) }

// SummariesSK returns the sort key of the statistics of a part of a product's
// attributes, of the comments in a language, or in any if it is empty: V#0, V#0#en.
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
