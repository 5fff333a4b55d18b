package reviews

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"product-comments/store/comment/item"
)

// Policy says how reviews are collected and checked, as article 7(6) of the directive 2005/29/EC asks.
// The zero value is of a shop that publishes everything.
type Policy struct {
	// Own are the paragraphs of the shop's own text, in place of one that is made of the settings.
	Own []string

	Before, After          bool // a moderator reads reviews before they are published, or the held ones
	Words, Links, Photos   bool // what holds a review with After
	Pace                   bool // many reviews within an hour do, too
	Once, Asked, Reporting bool // one review a person, buyers are asked, and people without an account report
}

// MaxPolicy bounds the bytes of a shop's own text.
const MaxPolicy = 20_000

// ReadPolicy reads a shop's own text: paragraphs with empty lines between them.
func ReadPolicy(r io.Reader) (all []string, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxPolicy+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxPolicy:
		return nil, fmt.Errorf("it has more than %d bytes: shorten it", MaxPolicy)
	case !utf8.Valid(text):
		return nil, fmt.Errorf("it is not UTF-8: save it as such")
	}
	spelled := strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\ufeff")
	if err := item.ValidateCharacters("text", spelled); err != nil {
		return nil, fmt.Errorf("%w: remove the character", err)
	}
	for paragraph := range strings.SplitSeq(spelled, "\n\n") {
		if words := strings.TrimFunc(paragraph, unicode.IsSpace); words != "" {
			all = append(all, words)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("it is empty: write how reviews are collected and checked")
	}
	return all, nil
}

// Policy returns the paragraphs that say how reviews are collected and checked.
func (s *section) Policy() (all []string) {
	p := s.policy
	if p.Own != nil {
		return p.Own
	}
	for _, of := range []struct {
		key  string
		here bool
	}{
		{"policyWho", true}, {"policyOnce", p.Once}, {"policyAsked", p.Asked}, {"policyVerified", true},
		{"policyBefore", p.Before}, {"policyAtOnce", !p.Before},
		{"policyWords", p.After && p.Words}, {"policyLinks", p.After && p.Links}, {"policyPhotos", p.After && p.Photos}, {"policyPace", p.After && p.Pace},
		{"policyReported", p.After}, {"policyReporting", p.Reporting}, {"policyAverage", true},
	} {
		if of.here {
			all = append(all, s.Text(of.key))
		}
	}
	return all
}

// Refusals returns the reasons for which a moderator refuses a review; none with a shop's own text.
func (s *section) Refusals() (all []string) {
	if s.policy.Own != nil {
		return nil
	}
	for _, code := range item.Codes[item.Rejected] {
		all = append(all, s.Rejections[string(code)])
	}
	return all
}
