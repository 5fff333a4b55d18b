package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// saying returns a comment whose words resemble the words of others.
func saying(id string, i int) store.Comment {
	return store.Comment{
		ID: id, ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
		Author: "Ada L.", Title: fmt.Sprintf("Year %d with it", i),
		Text: fmt.Sprintf("The strap is soft and the zip runs smoothly. I have carried %d books in it for %d weeks, and it looks like new.", i, i*7),
	}
}

// wantSaid compares what a store says of comments with what was written, on every way to
// read them: twice, since the texts are in memory then, and by a store that has none in memory.
func wantSaid(t *testing.T, s *store.Store, want ...store.Comment) {
	t.Helper()
	for _, s := range []*store.Store{s, s, store.New(storetest.Client(t), s.Table(), store.Options{})} {
		wantSaidBy(t, s, want...)
	}
}

func wantSaidBy(t *testing.T, s *store.Store, want ...store.Comment) {
	t.Helper()
	page := pageOf(t, s, filterOf("42", "", 0), store.Window{Limit: 100})
	inPage := map[string]store.Comment{}
	for _, c := range page.Items {
		inPage[c.ID] = *c
	}
	for _, w := range want {
		one, err := s.Get(t.Context(), w.ID)
		testkit.Need(t, err == nil && one != nil, "%v, %v", one, err)
		many := testkit.Value(s.GetMany(t.Context(), []string{w.ID}))(t)
		for _, got := range []store.Comment{*one, *many[0], inPage[w.ID]} {
			if got.Author != w.Author || got.Title != w.Title || got.Text != w.Text && !got.TextElsewhere {
				t.Errorf("%s says %q %q %q, want %q %q %q", w.ID, got.Author, got.Title, got.Text, w.Author, w.Title, w.Text)
			}
		}
	}
}

// Author, title and text are one compressed attribute, unless the text is too long or there is none.
func TestTextsAreCompressed(t *testing.T) {
	s := storeWith(t, store.Options{MetaAge: time.Nanosecond})
	wantCompressed := func(ids map[string]bool) {
		t.Helper()
		for id, want := range ids {
			it := storedItem(t, s, id)
			testkit.Check(t, (it["z"] != nil) == want, "%s is compressed: %t", id, !want)
			testkit.Check(t, !want || it["title"] == nil && it["text"] == nil && it["author"] == nil, "%s is there in plain, too: %v", id, it)
		}
	}
	edited, long, mute := saying("edited", 2), saying("long", 3), saying("mute", 4)
	long.Text = strings.Repeat("very long ", item.InlineText/10+1)
	mute.Author, mute.Title, mute.Text = "", "", ""
	importAll(t, s, []store.Comment{edited, long, mute})
	made := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 5, Language: "en", Author: "Bo", Title: "Good", Text: saying("", 9).Text})
	wantSaid(t, s, edited, long, mute, made)
	edited.Title = "Year 2 with the blue one"
	update(t, s, store.Change{ID: "edited", Title: &edited.Title})
	wantCompressed(map[string]bool{"edited": true, made.ID: true, "long": false, "mute": false})
	wantSaid(t, s, edited, long, mute, made)
	for _, same := range []store.Comment{edited, mute} {
		wantOutcome(t, s, same, store.Unchanged)
	}

	// What becomes too long leaves the compressed form, what becomes short returns.
	text := strings.Repeat("x", item.InlineText+1)
	update(t, s, store.Change{ID: "edited", Text: &text})
	edited.Text = text
	wantSaid(t, s, edited)
	update(t, s, store.Change{ID: "long", Text: aws.String(made.Text)})
	long.Text = made.Text
	wantSaid(t, s, long)
	wantCompressed(map[string]bool{"edited": false, "long": true})
	deleted, err := s.Delete(t.Context(), "long", nil)
	testkit.Check(t, err == nil && deleted.Text == long.Text, "deleted %+v, %v", deleted, err)
}

// A text that is stored in plain, or with an earlier dictionary, is compressed by the next edit.
func TestAnotherCompression(t *testing.T) {
	s, _ := newStore(t)
	c := saying("1", 1)
	importAll(t, s, []store.Comment{c})
	plain := item.Plain(&item.Stored{Comment: c})
	it := storedItem(t, s, "1")
	delete(it, "z")
	for _, name := range []string{"author", "title", "text"} {
		it[name] = plain[name]
	}
	damage(t, s, table.Write{Put: it})
	wantSaid(t, s, c)
	wantOutcome(t, s, c, store.Unchanged)
	c.Title = "Another title"
	update(t, s, store.Change{ID: "1", Title: &c.Title})
	wantSaid(t, s, c)
	it = storedItem(t, s, "1")
	testkit.Check(t, it["z"] != nil && it["text"] == nil && it["author"] == nil, "it is stored as %v", it)
}

// A damaged text is an error, and no other comment's.
func TestADamagedText(t *testing.T) {
	s, client := newStore(t)
	importAll(t, s, []store.Comment{saying("1", 1), saying("2", 2)})
	damage(t, s, table.Write{Key: table.Key(key.Comment("1")), Update: "SET z = :z", Values: table.Item{":z": table.B([]byte("no text"))}})
	other := store.New(client, s.Table(), store.Options{})
	_, err := other.Get(t.Context(), "1")
	wantCode(t, err, errs.Internal)
	testkit.Value(other.Get(t.Context(), "2"))(t)
}
