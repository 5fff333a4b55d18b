package moderation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"product-comments/store/item"
	"product-comments/store/moderation"
)

func TestBlockedWords(t *testing.T) {
	w, err := moderation.ReadWords(strings.NewReader("\ufeff# a remark\n\nidiot\nSTRASSE\ncheap pills\nнегодяй\n"))
	if err != nil {
		t.Fatal(err)
	}
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
		if got := w.In(text); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
	if _, err := moderation.ReadWords(strings.NewReader("fine\n!!!\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
	if _, err := moderation.ReadWords(strings.NewReader("fine\n" + strings.Repeat("ö", 201))); err == nil || !strings.Contains(err.Error(), "line 2: it has 201 characters, the limit is 200") {
		t.Errorf("%v", err)
	}
	var nobody *moderation.Words
	if nobody.In("idiot") != "" {
		t.Error("no words have one")
	}
}

func none(string) bool { return false }

func TestRules(t *testing.T) {
	w, err := moderation.ReadWords(strings.NewReader("idiot"))
	if err != nil {
		t.Fatal(err)
	}
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
		if got := r.Of(&c.of, none); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
	if got := (moderation.Rules{}).Of(&item.Comment{Text: "idiot https://example.com"}, none); got != "" {
		t.Errorf("no rules say %q", got)
	}
}

// A step that may not be is a conflict, whoever takes it.
func TestTransitions(t *testing.T) {
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject, moderation.Return} {
		if to, err := moderation.Lead(v, item.Withdrawn); err == nil || to != item.Withdrawn {
			t.Errorf("%d: %s, %v", v, to, err)
		}
	}
	if to, err := moderation.Lead(moderation.Return, item.Pending); err == nil {
		t.Errorf("%s", to)
	}
}
