package demo

import (
	"embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A phrase file holds whole sentences under headings in brackets, so that any
// text made of them is right in its language. The numbers are ratings:
//
//	[title N] [short N] [verdict N]  a title; a whole short text; a last sentence
//	[opening] [opening happy]        why it was bought; the same after long use
//	[good X] [bad X]                 about an aspect X; a text has one for an aspect
//	[niggle]                         a small complaint about no aspect
//	[but] [yet]                      turns to what is bad, to what is good
//	[stage]                          the stages of a journey, in order; not in every language
//	[journey] [journey before]       how a report of it begins, and then
//	[note] [journey end]             what else happened on any stage; how the report ends
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// phrases are the sentences of one language.
type phrases struct {
	language string // canonical BCP 47 tag
	space    string // between sentences
	lines    map[string][]string
	aspects  []string // that have both good and bad sentences
	authors  []string
}

// languages returns all phrases by language, read once.
var languages = sync.OnceValue(func() map[string]*phrases {
	all := map[string]*phrases{}
	for language, authors := range firstNames {
		b, err := phraseFiles.ReadFile("phrases/" + language + ".txt")
		if err != nil {
			panic(err) // it is built into the program
		}
		p := &phrases{language: language, space: " ", lines: map[string][]string{}, authors: authors}
		if language == "ja" {
			p.space = ""
		}
		section := ""
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if name, heading := strings.CutPrefix(line, "["); heading {
				section = strings.TrimSuffix(name, "]")
			} else if line != "" {
				p.lines[section] = append(p.lines[section], line)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.lines)) {
			if aspect, good := strings.CutPrefix(name, "good "); good && p.lines["bad "+aspect] != nil {
				p.aspects = append(p.aspects, aspect)
			}
		}
		all[language] = p
	}
	return all
})

func (p *phrases) one(r random, section string) string { return pick(r, p.lines[section]) }

func (p *phrases) rated(r random, section string, rating int) string {
	return p.one(r, section+" "+strconv.Itoa(rating))
}

// firstNames are the names that authors have, by language.
var firstNames = map[string][]string{
	"en":    {"Alice", "Ben", "Charlotte", "Dan", "Emma", "Fiona", "George", "Hannah", "Ian", "Jack", "Karen", "Liam", "Megan", "Noah", "Olivia", "Paul", "Rachel", "Sam", "Tess", "Will"},
	"de":    {"Anna", "Bernd", "Clara", "Dirk", "Eva", "Felix", "Greta", "Hannes", "Ines", "Jonas", "Katrin", "Lukas", "Mia", "Nina", "Paul", "Sabine", "Tim", "Ute"},
	"fr":    {"Camille", "Chloé", "Élodie", "Hugo", "Inès", "Jules", "Léa", "Lucas", "Manon", "Mathilde", "Noé", "Océane", "Pauline", "Théo", "Zoé"},
	"es":    {"Alba", "Carlos", "Diego", "Elena", "Íñigo", "Javier", "Lucía", "María", "Marta", "Núria", "Pablo", "Raúl", "Sara", "Sofía"},
	"pt-BR": {"Ana", "Beatriz", "Bruno", "Caio", "Fernanda", "Gabriel", "João", "Larissa", "Luísa", "Mateus", "Rafael", "Thaís"},
	"ja":    {"あおい", "さくら", "はると", "ひなた", "みお", "ゆい", "りく", "たろう", "けんじ", "なおみ"},
}
