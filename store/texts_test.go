package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/settings"
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

func words(n int) []pack.Words {
	out := make([]pack.Words, n)
	for i := range out {
		c := saying("", i)
		out[i] = pack.Words{Author: c.Author, Title: c.Title, Text: c.Text}
	}
	return out
}

// wantSaid compares what a store says of comments with what was written, on every way to
// read them: twice, since the texts are in memory then, and by a store that knows no
// dictionary yet.
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
		inPage[c.ID] = c
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

func TestTextsArePacked(t *testing.T) {
	s := storeWith(t, store.Options{MetaAge: time.Nanosecond})
	wantPackedWith := func(dictionaries map[string]int) { // 0 if plain
		t.Helper()
		for id, want := range dictionaries {
			got := 0
			if frame := table.Bytes(storedItem(t, s, id), "z"); frame != nil {
				got = testkit.Value(pack.VersionOf(string(frame)))(t)
			}
			testkit.Check(t, got == want, "%s is packed with dictionary %d, want %d", id, got, want)
		}
	}
	old, edited, long, mute := saying("old", 1), saying("edited", 2), saying("long", 3), saying("mute", 4)
	long.Text = strings.Repeat("very long ", item.InlineText/10+1)
	mute.Author, mute.Title, mute.Text = "", "", ""
	importAll(t, s, []store.Comment{old, edited, long, mute})
	if trained, err := s.Packing().Train(t.Context(), settings.Whatever, words(200)); trained.Version != 1 || err != nil {
		t.Fatal(trained, err)
	}
	wantSaid(t, s, old, edited, long, mute)

	made := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 5, Language: "en", Author: "Bo", Title: "Good", Text: saying("", 9).Text})
	edited.Title = "Year 2 with the blue one"
	update(t, s, store.Change{ID: "edited", Title: &edited.Title})
	wantPackedWith(map[string]int{"old": 0, "edited": 1, made.ID: 1, "long": 0, "mute": 0})
	if it := storedItem(t, s, "edited"); it["title"] != nil || it["text"] != nil || it["author"] != nil {
		t.Errorf("what is packed is there in plain, too: %v", it)
	}
	wantSaid(t, s, old, edited, long, mute, made)

	// The same comments again are no change, packed or not; others are.
	for _, same := range []store.Comment{old, edited, mute} {
		wantOutcome(t, s, same, store.Unchanged)
	}
	old.Text += " Still."
	wantOutcome(t, s, old, store.Replaced)

	if trained, err := s.Packing().Train(t.Context(), settings.Whatever, words(300)); trained.Version != 2 || err != nil {
		t.Fatal(trained, err)
	}
	wantSaid(t, s, old, edited, long, mute, made)
	wantPacked(t, s, 3)
	wantPackedWith(map[string]int{"old": 2, "edited": 2, made.ID: 2, "long": 0, "mute": 0})
	wantSaid(t, s, old, edited, long, mute, made)
	wantPacked(t, s, 0)

	// What becomes too long leaves the packed form, what becomes short returns.
	text := strings.Repeat("x", item.InlineText+1)
	update(t, s, store.Change{ID: "old", Text: &text})
	old.Text = text
	wantSaid(t, s, old)
	testkit.Check(t, storedItem(t, s, "old")["z"] == nil, "a long text left its old words behind")
	update(t, s, store.Change{ID: "long", Text: aws.String(edited.Text)})
	long.Text = edited.Text
	wantSaid(t, s, long)
	wantPackedWith(map[string]int{"long": 2})
	long.Title = "Longer than before"
	update(t, s, store.Change{ID: "long", Title: &long.Title})
	wantSaid(t, s, long)
	deleted, err := s.Delete(t.Context(), "long", nil)
	testkit.Check(t, err == nil && deleted.Text == long.Text, "deleted %+v, %v", deleted, err)
}

// Samples come from the table and are what comments say.
func TestSampleTexts(t *testing.T) {
	s, _ := newStore(t)
	var list []store.Comment
	for i := range 30 {
		list = append(list, saying(fmt.Sprint(i), i))
	}
	importAll(t, s, list)
	for _, n := range []int{10, 30, 100} {
		samples, err := s.Packing().Sample(t.Context(), n, 0)
		if err != nil || len(samples) != min(n, 30) {
			t.Fatalf("%d samples of 30 comments, %v; want %d", len(samples), err, min(n, 30))
		}
		for _, w := range samples {
			testkit.Check(t, strings.HasPrefix(w.Text, "The strap") && w.Author == "Ada L.", "sample %+v", w)
		}
	}
	_, err := s.Packing().Train(t.Context(), settings.Whatever, words(5))
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "too few"), "trained on 5: %v", err)
	if _, err := s.Packing().All(t.Context(), 0, nil); errs.CodeOf(err) != errs.NotFound {
		t.Errorf("packed without a dictionary: %v", err)
	}
}

// Without its dictionary a comment cannot be read, and says so.
func TestDictionaryIsLost(t *testing.T) {
	s, client := newStore(t)
	train(t, s, 200)
	importAll(t, s, []store.Comment{saying("1", 1)})
	damage(t, s, table.Write{Key: table.Key(key.Meta("dictionary-1")), Delete: true})
	other := store.New(client, s.Table(), store.Options{})
	_, err := other.Get(t.Context(), "1")
	wantCode(t, err, errs.Internal)
	testkit.Check(t, strings.Contains(err.Error(), "dictionary 1"), "got %v", err)
}
