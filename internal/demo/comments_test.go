package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"product-comments/internal/ndjson"
	"product-comments/store"
	"product-comments/store/item"
)

// golden is the digest of all comments. It changes when a phrase does: look at
// some of the texts, then put the new one here.
const golden = "4d379fd6584b471a0aebd3e9df373ab1b22333cc7520a85f70c697032af47e01"

func TestCommentsAreTheSame(t *testing.T) {
	h := sha256.New()
	for c := range Comments() {
		h.Write(ndjson.Append(nil, &c))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != golden {
		t.Errorf("digest %s, want %s", got, golden)
	}
}

func TestCommentsAreValid(t *testing.T) {
	ids := map[string]bool{}
	for c := range Comments() {
		was := c
		if err := c.Validate(); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if was.Language != c.Language || was.CreatedAt != c.CreatedAt {
			t.Errorf("%s is not in canonical form", c.ID)
		}
		if ids[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		ids[c.ID] = true
	}
	if len(ids) != Count() {
		t.Errorf("%d comments, Count says %d", len(ids), Count())
	}
}

func TestDistribution(t *testing.T) {
	byProduct, byLanguage, byRating, byDay, byTime := map[string]int{}, map[string]int{}, map[int]int{}, map[time.Time]int{}, map[time.Time]int{}
	var n, texts, characters, longest, inItem, authors, run, longestRun int
	var last store.Comment
	for c := range Comments() {
		n++
		byProduct[c.ProductID]++
		byLanguage[c.Language]++
		byRating[c.Rating]++
		if c.ProductID == last.ProductID && c.CreatedAt.Before(last.CreatedAt) {
			t.Errorf("%s is older than the one before it", c.ID)
		}
		last = c
		if c.CreatedAt.Before(firstDay) || !c.CreatedAt.Before(lastDay.AddDate(0, 0, 1)) {
			t.Errorf("%s is of %s", c.ID, c.CreatedAt)
		}
		if c.ProductID == bestseller {
			byDay[c.CreatedAt.Truncate(24*time.Hour)]++
			byTime[c.CreatedAt]++
			if run++; c.Rating == 1 {
				run = 0
			}
			longestRun = max(longestRun, run)
		}
		if c.Author != "" {
			authors++
		}
		if c.Text != "" {
			texts++
			characters += utf8.RuneCountInString(c.Text)
			longest = max(longest, utf8.RuneCountInString(c.Text))
		}
		if len(c.Text) > item.InlineText {
			inItem++
		}
	}
	between := func(what string, got, least, most int) {
		t.Helper()
		if got < least || got > most {
			t.Errorf("%s: %d, want %d to %d", what, got, least, most)
		}
	}
	between("comments", n, 8900, 9100)
	between("comments of 42", byProduct["42"], 6000, 6000)
	between("comments of 1", byProduct["1"], 1, 1)
	between("products", len(byProduct), 30, 40)
	for rating, percent := range []int{1: 9, 2: 6, 3: 10, 4: 20, 5: 55} {
		if rating > 0 {
			between("per cent of a rating", 100*byRating[rating]/n, percent-1, percent+1)
		}
	}
	for _, l := range languageShare {
		between("per cent in "+l.language, 100*byLanguage[l.language]/n, l.percent-2, l.percent+2)
	}
	between("average characters of a text", characters/texts, 300, 450)
	between("characters of the longest text", longest, 6500, 8000)
	between("texts that indexes do not carry", inItem, 3, 30)
	between("per cent with a text", 100*texts/n, 90, 95)
	between("per cent with an author", 100*authors/n, 70, 80)
	between("longest run without a 1", longestRun, 500, 2000)
	days, same := 0, 0
	for _, n := range byDay {
		if n >= 200 {
			days++
		}
	}
	for _, n := range byTime {
		same = max(same, n)
	}
	between("days with hundreds", days, 4, 4)
	between("comments of one time", same, 200, 300)
	if newest := last.CreatedAt; newest.After(lastDay.AddDate(0, 0, 1)) {
		t.Errorf("the newest is of %s", newest)
	}
}

// Every language has what a text of any rating can need.
func TestPhrasesAreComplete(t *testing.T) {
	shares := 0
	for _, l := range languageShare {
		shares += l.percent
		p := languages()[l.language]
		if p == nil {
			t.Fatalf("no phrases in %s", l.language)
		}
		for _, section := range []string{"opening", "opening happy", "niggle", "but", "yet"} {
			if len(p.lines[section]) == 0 {
				t.Errorf("%s: nothing under [%s]", l.language, section)
			}
		}
		for _, section := range []string{"title", "short", "verdict"} {
			for _, rating := range []string{"1", "2", "3", "4", "5"} {
				if len(p.lines[section+" "+rating]) == 0 {
					t.Errorf("%s: nothing under [%s %s]", l.language, section, rating)
				}
			}
		}
		if len(p.aspects) < 10 || len(p.authors) < 10 {
			t.Errorf("%s: %d aspects, %d authors", l.language, len(p.aspects), len(p.authors))
		}
		seen := map[string]bool{}
		for section, lines := range p.lines {
			for _, line := range lines {
				if seen[line] {
					t.Errorf("%s: %q is there twice", l.language, line)
				}
				seen[line] = true
				sentence := !strings.HasPrefix(section, "title")
				if sentence && !strings.ContainsAny(line[len(line)-1:], ".!?:") && !strings.HasSuffix(line, "。") {
					t.Errorf("%s: %q under [%s] does not end as a sentence does", l.language, line, section)
				}
			}
		}
		if languages()[l.language].space == "" != (l.language == "ja") {
			t.Errorf("%s: sentences are parted by %q", l.language, p.space)
		}
	}
	if shares != 100 || len(languages()) != len(languageShare) {
		t.Errorf("shares of %d %%, %d languages", shares, len(languages()))
	}
}

// A text says no sentence twice, and what it says fits its rating.
func TestTextsFitTheirRatings(t *testing.T) {
	for c := range Comments() {
		p := languages()[c.Language]
		for name, lines := range p.lines {
			kind, number, rated := strings.Cut(name, " ")
			if !rated {
				continue
			}
			for _, line := range lines {
				found := strings.Count(c.Text, line)
				wrong := kind == "good" && c.Rating == 1 || kind == "bad" && c.Rating >= 4 ||
					kind == "verdict" && number != string(rune('0'+c.Rating)) && !strings.Contains(c.Text, "\n\n")
				if found > 1 || found > 0 && wrong {
					t.Fatalf("%s, rating %d, says %q: %s", c.ID, c.Rating, line, c.Text)
				}
			}
		}
	}
}
