package stats

// Statistics returns the counts as the statistics of a product in all languages.
func (c ByLanguage) Statistics() Statistics {
	s := Statistics{Languages: make(map[string]int, len(c)), Details: make(map[string]Detail, len(c))}
	for language, k := range c {
		t := k.Of(0, 0)
		s.Details[language], s.Languages[language] = Detail{Kinds: k}, t.Total()
		s.Tally = plus(s.Tally, t)
	}
	return s
}
