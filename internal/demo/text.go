package demo

import (
	"slices"
	"strings"
)

// title returns a title that fits the rating, or none.
func (p *phrases) title(r random, rating int) string {
	if r.percent(22) {
		return ""
	}
	return p.rated(r, "title", rating)
}

// text returns a text that fits the rating: nothing, a few words, some
// sentences, nearly all that there is to say, or a report of several pages.
func (p *phrases) text(r random, rating int) string {
	switch r.weighted(70, 90, 800, 35, 5) {
	case 0:
		return ""
	case 1:
		return p.rated(r, "short", rating)
	case 3:
		return p.compose(r, rating, len(p.aspects))
	case 4:
		if rating >= 4 && p.lines["stage"] != nil {
			return p.report(r)
		}
	}
	return p.compose(r, rating, r.between(2, 7))
}

// compose returns an opening, so many sentences about aspects, and a verdict.
func (p *phrases) compose(r random, rating, sentences int) string {
	var open, last, first, second []string
	if r.percent(65) {
		open = append(open, p.opening(r, rating))
	}
	good, bad := p.balance(r, rating, sentences)
	aspects := some(r, p.aspects, good+bad)
	good = min(good, len(aspects))
	for i, aspect := range aspects {
		if i < good {
			first = append(first, p.one(r, "good "+aspect))
		} else {
			second = append(second, p.one(r, "bad "+aspect))
		}
	}
	switch {
	case rating == 4, rating == 3 && len(second) == 0:
		second = append(second, p.one(r, "but"), p.one(r, "niggle"))
	case rating == 3 && len(first) > 0:
		second = append([]string{p.one(r, "but")}, second...)
	case rating <= 2:
		first, second = second, first
		if len(second) > 0 {
			second = append([]string{p.one(r, "yet")}, second...)
		}
	}
	if r.percent(70) || len(first)+len(second) == 0 {
		last = append(last, p.rated(r, "verdict", rating))
	}
	// Long texts have paragraphs.
	if len(open)+len(first)+len(second) > 6 {
		return strings.Join(p.paragraphs(append(open, first...), append(second, last...)), "\n\n")
	}
	return strings.Join(append(append(append(open, first...), second...), last...), p.space)
}

func (p *phrases) opening(r random, rating int) string {
	if rating >= 4 && r.percent(25) {
		return p.one(r, "opening happy")
	}
	return p.one(r, "opening")
}

// balance divides the sentences about aspects into good and bad ones.
func (p *phrases) balance(r random, rating, sentences int) (good, bad int) {
	switch rating {
	case 5:
		return sentences, 0
	case 4:
		return max(sentences-2, 1), 0 // the small complaint takes their place
	case 3:
		bad = max(sentences/2, 1)
		return max(sentences-bad-1, 1), bad
	case 2:
		good = r.below(2)
		return good, max(sentences-good-1, 1)
	}
	return 0, max(sentences-1, 1)
}

// paragraphs joins the sentences of each paragraph that has any.
func (p *phrases) paragraphs(of ...[]string) []string {
	var out []string
	for _, sentences := range of {
		if len(sentences) > 0 {
			out = append(out, strings.Join(sentences, p.space))
		}
	}
	return out
}

// indoors are the aspects that nobody thinks of on a journey.
var indoors = []string{"delivery", "laptop", "price", "service"}

// report returns a text of several pages: a journey in most of its stages,
// with what the author noticed on the way.
func (p *phrases) report(r random) string {
	before := []string{p.one(r, "journey before")}
	var noticed []string
	for _, aspect := range some(r, p.aspects, len(p.aspects)) {
		sentence := p.one(r, "good "+aspect)
		if slices.Contains(indoors, aspect) {
			before = append(before, sentence)
		} else {
			noticed = append(noticed, sentence)
		}
	}
	notes := some(r, p.lines["note"], len(p.lines["note"]))
	out := p.paragraphs([]string{p.one(r, "journey")}, before)
	for _, stage := range p.lines["stage"] {
		if r.percent(8) {
			continue
		}
		paragraph := []string{stage}
		if len(notes) > 0 {
			paragraph = append(paragraph, notes[0])
			notes = notes[1:]
		}
		if len(noticed) > 0 && r.percent(50) {
			paragraph = append(paragraph, noticed[0])
			noticed = noticed[1:]
		}
		out = append(out, strings.Join(paragraph, p.space))
	}
	out = append(out, p.one(r, "journey end"), p.rated(r, "verdict", 5))
	return strings.Join(out, "\n\n")
}
