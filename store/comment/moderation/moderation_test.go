package moderation_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mvdan.cc/xurls/v2"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
)

func TestBlockedWords(t *testing.T) {
	w := testkit.Value(moderation.ReadWords(strings.NewReader("\ufeff# a remark\n\nidiot\nSTRASSE\ncheap pills\nнегодяй\n")))(t)
	for text, want := range map[string]string{
		"":                              "",
		"What an Idiot!":                "idiot",
		"an idiotic idea":               "",
		"ＩＤＩＯＴ":                         "idiot",
		"i\u200bdiot":                   "idiot",
		"id\u00adiot":                   "idiot",
		"in der Straße":                 "STRASSE",
		"buy CHEAP\n  pills now":        "cheap pills",
		"cheap, and pills":              "",
		"cheap":                         "",
		"НЕГОДЯЙ":                       "негодяй",
		"Tolle Straßenbahn, kein Akk":   "",
		"a remark":                      "",
		"İDİOT":                         "idiot",
		"i\u0336d\u0336i\u0336o\u0336t": "idiot",
		"i\u115fd\u3164i\u034fot":       "idiot",
		"You idiot.You are":             "idiot",
		"l’idiot":                       "idiot",
		"IDIOT's guide":                 "idiot",
		"_idiot_":                       "idiot",
		"buy cheap/pills":               "cheap pills",
		"idiöt":                         "",
		"idiot1":                        "",
		"अनिdiot":                       "",
	} {
		testkit.Equal(t, w.Find(text), want, "%q", text)
	}
	testkit.Fails(t, testkit.Err(moderation.ReadWords(strings.NewReader("fine\n!!!\n"))), "line 2")
	_, err := moderation.ReadWords(strings.NewReader("fine\n" + strings.Repeat("ö", 201)))
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "line 2: it has 201 characters, the limit is 200"), "%v", err)
	var nobody *moderation.Words
	testkit.Check(t, nobody.Find("idiot") == "", "no words have one")
}

func none(string) bool { return false }

// What rules say of a comment.
var fine, link, swollen = item.Why{}, item.Why{Code: item.HeldByLink}, item.Why{Code: item.HeldByCharacters}

func word(w string) item.Why { return item.Why{Code: item.HeldByWord, Reason: w} }

// Every code that holds a comment has a sentence, with what the rule found.
func TestSentences(t *testing.T) {
	for _, code := range item.Codes[item.Pending] {
		says := moderation.Sentence(item.Why{Code: code})
		testkit.Check(t, (says == "") == (code == item.Other), "%s says %q", code, says)
	}
	testkit.Equal(t, moderation.Sentence(word("idiot")), "it has a blocked word: idiot", "a word")
	testkit.Equal(t, moderation.Sentence(item.Why{Code: item.Other, Reason: "spam filter"}), "spam filter", "an import")
}

func TestRules(t *testing.T) {
	w := testkit.Value(moderation.ReadWords(strings.NewReader("idiot")))(t)
	r := moderation.Rules{Words: w, Links: true}
	for _, c := range []struct {
		of   item.Comment
		want item.Why
	}{
		{item.Comment{Title: "Fine", Text: "Size 4.5, i.e. small. Nothing else"}, fine},
		{item.Comment{Title: "idiot"}, word("idiot")},
		{item.Comment{Author: "Idiot"}, word("idiot")},
		{item.Comment{Text: "look at https://example.com/x"}, link},
		{item.Comment{Text: "look at example.com"}, link},
		{item.Comment{Text: "look at ｅｘａｍｐｌｅ．ｃｏｍ"}, link},
		{item.Comment{Text: "look at exa\u200bmple.c\u00adom"}, link},
		{item.Comment{Text: "Nice…it was good. Good...but not 1⁄2 as good as ½ of it"}, fine},
		{item.Comment{Attributes: json.RawMessage(`{"fits":4,"tip":"see example.com","wet":true}`)}, link},
		{item.Comment{Attributes: json.RawMessage(`{"tip":"an Idiot knows"}`)}, word("idiot")},
	} {
		testkit.Equal(t, r.Violation(&c.of, nil, none), c.want, "%+v", c.of)
	}
	testkit.Equal(t, (moderation.Rules{}).Violation(&item.Comment{Text: "idiot https://example.com"}, nil, none), fine, "no rules say")
}

// A transition that the state does not allow is a conflict for every role.
func TestTransitions(t *testing.T) {
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject, moderation.Return} {
		to, err := moderation.Transition(v, item.Withdrawn)
		testkit.Check(t, err != nil && to == item.Withdrawn, "%d: %s, %v", v, to, err)
	}
	to, err := moderation.Transition(moderation.Return, item.Pending)
	testkit.Check(t, err != nil, "%s", to)
}

// Addresses are found however their dots are spelled, and ordinary texts are let through.
func TestLinks(t *testing.T) {
	r := moderation.Rules{Links: true}
	for _, text := range []string{
		"https://evil.com/x", "evil.com", "look at EVIL.COM!", "evil.com.", "(evil.com)", "me@evil.com", "http://127.0.0.1/x", "ftp://evil",
		"evil。com", "evil．com", "evil｡com", "www。evil。com", "ｅｖｉｌ。ｃｏｍ", "пример。рф", "看看 evil。com 吧", "看看evil。com吧", "很好。com",
		"evil.\ncom", "evil.\r\ncom/cheap", "look at evil.\n  com for more", "evil\n.com", "evil.\n\ncom", "evil.\nru", "evil.\nde", "evil.\u2028com", "evil.co\n.uk",
		"evil[.]com", "evil(.)com", "evil{.}com", "evil [.] com", "evil[dot]com", "evil (DOT) com", "www[.]evil[.]com/x",
		"javascript:alert(1)", "JavaScript:alert`1`", "javascript: alert(1)", "javascript:…", "java\u200bscript:x", "vbscript:x", "data:text/html,x", "data:text/html;base64,eA",
		"fine.It is", // which is the domain of Italy
	} {
		testkit.Equal(t, r.Violation(&item.Comment{Text: text}, nil, none), link, "%q", text)
	}
	for _, text := range []string{
		"z.B.", "z.B. so", "d.h. gut", "u.a. rot", "i.e. small", "e.g. this", "3.5.2026", "am 3.5.2026 gekauft", "Nr.5", "No.5", "Gr.42", "4.5", "1.000,50 EUR", "toll.Danke", "toll.Danke!", "Dr.Müller",
		"Works well.\nIt is great.", "Super.\nSo schön!", "Muito bom.\nCom certeza recomendo.", "Danke.\nKim", "Nice.\n- cheap\n- fast", "good.\nlove it", "gut.\nam Ende", "Bien.\nde plus", "well...\ncom", "500\nml",
		"Schön.\n\nIn Rot.", "很好用。手机壳也不错。", "とても良い。また買います。", "不错。App很好用", "很好。\nOK", "质量不错。很好｡真的。",
		"JavaScript: The Good Parts", "JavaScript: Pocketbuch (2010)", "Data: fine", "data: text/html", "Rating: 5/5", "12:30", "Pro: leicht. Contra: teuer.",
		"Size (M)", "[sic]", "(5.0)", "wow (!).", "dot", "(dots)", "Nice…it was good", "a...b", "1⁄2", "a.\nb", "",
	} {
		testkit.Equal(t, r.Violation(&item.Comment{Text: text}, nil, none), fine, "%q", text)
	}
}

// An attribute that is defined to hold addresses may hold one, and nothing else.
func TestLinksInAttributes(t *testing.T) {
	r := moderation.Rules{Links: true}
	photos := func(attribute string) bool { return attribute == "photo" }
	for attributes, want := range map[string]item.Why{
		`{"photo":"https://cdn.shop.example/1.jpg"}`:           fine,
		`{"photo":"https://cdn.shop.example/1.jpg?w=1&x[]=."}`: fine,
		`{"photo":"fine"}`:                           fine,
		`{"photo":"https://a.com see evil.com"}`:     link,
		`{"photo":"evil.com"}`:                       link,
		`{"photo":"javascript:alert(1)"}`:            link,
		`{"photo":"https://shop.example@evil.com/"}`: link,
		`{"tip":"https://cdn.shop.example/1.jpg"}`:   link,
		`{"tip":"fine","photo":"http://evil.com"}`:   fine,
	} {
		testkit.Equal(t, r.Violation(&item.Comment{Attributes: json.RawMessage(attributes)}, nil, photos), want, "%s", attributes)
	}
	got := r.Violation(&item.Comment{Text: "https://cdn.shop.example/1.jpg", Attributes: json.RawMessage(`{}`)}, nil, photos)
	testkit.Equal(t, got, link, "the text is no attribute")
}

// A text that would become far longer when it is looked through waits for a moderator, and
// is not made longer to find that out. What is short is looked through as ever.
func TestExpansionIsBounded(t *testing.T) {
	words := testkit.Value(moderation.ReadWords(strings.NewReader("idiot\nصلى")))(t)
	r := moderation.Rules{Words: words, Links: true}
	const most = 2 << 20 // bytes that looking at one comment makes
	for name, c := range map[string]struct {
		text string
		want item.Why
	}{
		"one character for eighteen":     {strings.Repeat("\ufdfa", item.MaxText), swollen},
		"the same between others":        {strings.Repeat("a\ufdfa", item.MaxText/2), swollen},
		"the same, and a word behind it": {strings.Repeat("\ufdfa", item.MaxText-6) + " idiot", swollen},
		"squared words":                  {strings.Repeat("\u3300", item.MaxText), swollen},
		"a few":                          {"Der Prophet \ufdfa sagte", word("صلى")},
		"many other ligatures":           {strings.Repeat("\ufb01", item.MaxText-6) + " idiot", word("idiot")},
		"the longest text":               {strings.Repeat("很好用！", item.MaxText/4), fine},
		"half widths":                    {strings.Repeat("ｶﾞ", item.MaxText/2), fine},
		"Hindi":                          {strings.Repeat("ड़ा ", item.MaxText/4), fine},
		"Vietnamese":                     {strings.Repeat("ế", item.MaxText), fine},
		"accents for themselves":         {strings.Repeat("e\u0301", item.MaxText/2), fine},
	} {
		testkit.Equal(t, r.Violation(&item.Comment{Text: c.text}, nil, none), c.want, "%s", name)
		made := allocated(func() { r.Violation(&item.Comment{Text: c.text}, nil, none) })
		testkit.Check(t, made <= most, "%s: %d bytes were made of %d, the most is %d", name, made, len(c.text), most)
	}
}

// allocated returns how many bytes a function allocates, of three runs the least: other
// goroutines allocate, too.
func allocated(do func()) uint64 {
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// A text takes time in proportion to its length, and no more for each letter than others do: so a rule
// costs about as much whatever authors write.
func TestLinksAreFoundInLinearTime(t *testing.T) {
	r := moderation.Rules{Links: true}
	took := func(text string) time.Duration {
		least := time.Hour
		for range 5 {
			began := time.Now()
			r.Violation(&item.Comment{Text: text}, nil, none)
			least = min(least, time.Since(began))
		}
		return least
	}
	usual := took(strings.Repeat("fine and soft ", item.MaxText/14))
	for _, part := range []string{"a.", "zz.", ".", ":", "_://", "tel:", "a@", "h", "((", "1.", "1:", "::", "é.é", ".рa", "xn--.", "[.]", "。", "a\n."} {
		text := strings.Repeat(part, item.MaxText/utf8.RuneCountInString(part))
		took := took(text)
		testkit.Check(t, took <= 40*usual, "%q takes %s, an ordinary text %s", part, took, usual)
	}
}

// What package xurls takes for an address without a scheme is one, and nothing else.
func TestNamesOfHosts(t *testing.T) {
	r, d := moderation.Rules{Links: true}, testkit.Random(t)
	pieces := []string{"a", "é", "com", "COM", "de", "рф", "бг", "xn--", "p1ai", "i2p", "-", "_", "5", "@", "/", "!", "好", "่", ".", ".", ".", "."}
	for range 3000 {
		text := ""
		for range 1 + d.IntN(6) {
			text += pieces[d.IntN(len(pieces))]
		}
		want := fine
		if xurls.Relaxed().MatchString(text) {
			want = link
		}
		testkit.Equal(t, r.Violation(&item.Comment{Text: text}, nil, none), want, "%q", text)
	}
}
