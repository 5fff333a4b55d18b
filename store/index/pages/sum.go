package pages

import (
	"product-comments/store/comment/stats"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
)

// count is the number of comments of a kind in a language. It is compact, because a product may
// have thousands of nodes with hundreds of languages each.
type count struct {
	language int32 // index of the language
	kind     stats.Kind
	n        int32
}

// number returns the index of a language, and adds the language if it is new.
func (m *moment) number(language string) int32 {
	n, ok := m.numbers[language]
	if !ok {
		n = int32(len(m.languages))
		m.languages, m.numbers[language] = append(m.languages, language), n
	}
	return n
}

// sum adds up counts over selected languages, or for each language.
type sum struct {
	m     *moment
	of    key.Languages
	each  bool
	into  []int         // by language: index in kinds, -1 if not selected
	kinds []stats.Kinds // one for each language, or one for all selected languages
}

func (s *sum) add(counts []count, sign int) {
	for i := len(s.into); i < len(s.m.languages); i++ {
		switch {
		case s.each:
			s.into, s.kinds = append(s.into, i), append(s.kinds, stats.Kinds{})
		case s.of.Has(s.m.languages[i]):
			s.into = append(s.into, 0)
		default:
			s.into = append(s.into, -1)
		}
	}
	for _, c := range counts {
		if i := s.into[c.language]; i >= 0 {
			s.kinds[i][c.kind] += sign * int(c.n)
		}
	}
}

// addAll adds branches. For a branch with pending writes, it adds the branches below if these were
// read: only a leaf shows whether it has the comment of a pending write.
func (s *sum) addAll(all []branch, sign int) {
	for _, b := range all {
		if b.own {
			if below, ok := s.m.below[b.span]; ok {
				s.addAll(below, sign)
				continue
			}
		}
		s.add(b.sum, sign)
	}
}

// byLanguage returns the sum of each language. Counts below zero become zero.
func (s *sum) byLanguage() stats.ByLanguage {
	out := make(stats.ByLanguage, len(s.kinds))
	for i, kinds := range s.kinds {
		for kind := range kinds {
			kinds[kind] = max(0, kinds[kind])
		}
		if kinds != (stats.Kinds{}) {
			out[s.m.languages[i]] = kinds
		}
	}
	return out
}

// sumOf returns an empty sum over languages.
func (m *moment) sumOf(languages key.Languages) *sum {
	return &sum{m: m, of: languages, kinds: make([]stats.Kinds, 1)}
}

// bytesOfKinds is the size of the counts of a language in bytes.
const bytesOfKinds = 8 * len(stats.Kinds{})

// entries decodes the entries of a node; ok is false for invalid bytes.
func (m *moment) entries(b []byte, level int) (all []branch, ok bool) {
	ok = tree.EachEntry(b, level, func(begin string, kids int) {
		all = append(all, branch{span: span{level: level, from: begin, kids: kids}})
	}, func(language string, of stats.Kinds) {
		last := &all[len(all)-1]
		last.read = m.append(last.read, language, of)
	})
	return all, ok
}

func (m *moment) append(all []count, language string, kinds stats.Kinds) []count {
	number := m.number(language)
	for kind, n := range kinds {
		if n != 0 {
			all = append(all, count{number, stats.Kind(kind), int32(n)})
		}
	}
	return all
}

// countsOf returns a count for each row.
func (m *moment) countsOf(rows []tree.Row) []count {
	all := make([]count, len(rows))
	for i, r := range rows {
		all[i] = count{m.number(r.Language), r.Kind, 1}
	}
	return all
}
