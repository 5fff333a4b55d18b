package moderation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/item"
	"product-comments/store/moderation"
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
	_, err := moderation.ReadWords(strings.NewReader("fine\n!!!\n"))
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "line 2"), "%v", err)
	_, err = moderation.ReadWords(strings.NewReader("fine\n" + strings.Repeat("ö", 201)))
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "line 2: it has 201 characters, the limit is 200"), "%v", err)
	var nobody *moderation.Words
	testkit.Check(t, nobody.Find("idiot") == "", "no words have one")
}

func none(string) bool { return false }

func TestRules(t *testing.T) {
	w := testkit.Value(moderation.ReadWords(strings.NewReader("idiot")))(t)
	r := moderation.Rules{Words: w, Links: true}
	for _, c := range []struct {
		of   item.Comment
		want string
	}{
		{item.Comment{Title: "Fine", Text: "Size 4.5, i.e. small. Nothing else"}, ""},
		{item.Comment{Title: "idiot"}, `it has the blocked word "idiot"`},
		{item.Comment{Author: "Idiot"}, `it has the blocked word "idiot"`},
		{item.Comment{Text: "look at https://example.com/x"}, "it has a link"},
		{item.Comment{Text: "look at example.com"}, "it has a link"},
		{item.Comment{Text: "look at ｅｘａｍｐｌｅ．ｃｏｍ"}, "it has a link"},
		{item.Comment{Text: "look at exa\u200bmple.c\u00adom"}, "it has a link"},
		{item.Comment{Text: "Nice…it was good. Good...but not 1⁄2 as good as ½ of it"}, ""},
		{item.Comment{Attributes: json.RawMessage(`{"fits":4,"tip":"see example.com","wet":true}`)}, "it has a link"},
		{item.Comment{Attributes: json.RawMessage(`{"tip":"an Idiot knows"}`)}, `it has the blocked word "idiot"`},
	} {
		testkit.Equal(t, r.Violation(&c.of, none), c.want, "%+v", c.of)
	}
	testkit.Equal(t, (moderation.Rules{}).Violation(&item.Comment{Text: "idiot https://example.com"}, none), "", "no rules say")
}

// A transition that the state does not allow is a conflict for every role.
func TestTransitions(t *testing.T) {
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject, moderation.Return} {
		to, err := moderation.Lead(v, item.Withdrawn)
		testkit.Check(t, err != nil && to == item.Withdrawn, "%d: %s, %v", v, to, err)
	}
	to, err := moderation.Lead(moderation.Return, item.Pending)
	testkit.Check(t, err != nil, "%s", to)
}
