package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// everyItem makes a table hold every kind of item, by what the service does, and returns
// all that any of them ever had.
func everyItem(t *testing.T) (items []table.Item) {
	must := func(_ any, err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	var mu sync.Mutex
	db := double.New(double.Options{Committed: func(_ context.Context, c double.Change) {
		mu.Lock()
		defer mu.Unlock()
		if c.After != nil {
			items = append(items, c.After)
		}
	}})
	keys, err := sealed.NewSet(make([]byte, sealed.MinSecret))
	must(keys, err)
	o := store.Options{Keys: keys, ImportEvents: true, Moderation: moderation.Options{Mode: moderation.Post, Reports: 1, ReportPace: 100, Rules: moderation.Rules{Pace: 100}}}
	client := db.Client("shop")
	s := store.New(client, "comments", o)
	ctx, stop := context.WithCancel(t.Context())
	must(nil, s.EnsureTable(ctx, true))
	c := stream.New(client, s.Projector(), stream.Options{Log: slog.New(slog.DiscardHandler)})
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	endpoint, _, err := s.Outbox().Create(ctx, outbox.Endpoint{URL: "https://shop.example/hooks", Types: outbox.Types})
	must(endpoint, err)
	sends := outbox.NewSender(s.Outbox(), outbox.Options{Send: func(_ context.Context, _ *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
		if e.Type != outbox.Deleted || e.Comment.ProductID != "43" {
			return outbox.Outcome{}
		}
		return outbox.Outcome{Err: errors.New("it answered 410"), Gone: true}
	}})
	running.Go(func() { sends.Run(ctx) })
	must(s.Outbox().Test(ctx, endpoint.ID))
	defer running.Wait()
	defer stop()

	define := func(scope definitions.Scope, list ...attributes.Definition) {
		must(s.Attributes().Define(ctx, definitions.Change{Scope: scope, Definitions: list, Force: true}))
	}
	define(definitions.Scope{Product: "42"}, attributes.Definition{Key: "fit", Type: attributes.Number, Shown: true}, attributes.Definition{Key: "name", Type: attributes.Text, Locale: "de"})
	define(definitions.Scope{Group: "shoes"}, attributes.Definition{Key: "size", Type: attributes.Number})
	must(nil, s.Attributes().Assign(ctx, definitions.Assignment{Product: "43", Group: "shoes"}))
	must(nil, s.Families().Define(ctx, store.Family{ID: "daypack", Label: "Daypack", Products: []string{"43", "44"}}))
	must(nil, s.Moderation().SetMode(ctx, "43", new(moderation.Pre)))
	time.Sleep(time.Minute)

	at := time.Now().UTC().Add(-time.Hour)
	order := orders.Order{ID: "17", Username: "alice", Status: orders.Delivered, Times: orders.Times{at, at, at}, Lines: []orders.Line{{ProductID: "42", Quantity: 1, Price: &orders.Money{Amount: "12.50", Currency: "EUR"}}}}
	must(s.ImportOrders(ctx, []orders.Order{order, {ID: "18", Username: "alice", Status: orders.Placed, Times: orders.Times{at}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}}}}))
	askForReviews(t, s, order)
	languages := []string{"de", "fr", "it", "es", "nl", "da", "sv", "pl", "cs", "pt", "fi", "hu", "ro", "el", "bg", "hr", "sk", "sl", "et", "lv", "lt", "ga", "mt", "nb"}
	var imported []store.Comment
	for i := range 130 {
		imported = append(imported, store.Comment{
			ID: fmt.Sprint(i), ProductID: "42", Rating: 5, Language: languages[i%len(languages)], CreatedAt: at, Author: "Ann", Title: "Title",
			Text: fmt.Sprint("some words of number ", i, " that everybody says"), Attributes: json.RawMessage(`{"fit":1,"name":"x"}`),
		})
		storetest.SetOptionals(&imported[i])
		imported[i].Incentive, imported[i].Invited = "PAID", true
	}
	long := imported[0]
	long.ID, long.Text = "long", strings.Repeat("long ", 1000)
	pending := imported[0]
	pending.ID, pending.State, pending.Reason, pending.Owner = "pending", item.Pending, "a link", "bob"
	none := imported[0]
	none.ID, none.Attributes, none.Text = "none", nil, ""
	none.Title, none.Author = "T", "A"
	short := none
	short.ID, short.Title, short.Author, short.Text = "short", "", "", "ok" // which is shorter than compressed
	must(nil, s.PowerSets().Enable(ctx, "42", nil))
	imported[3].Photos = []store.Photo{storetest.Photo(t, s, 1), storetest.Photo(t, s, 2)}
	must(s.Import(ctx, append(imported, long, pending, none, short)))
	storetest.Photo(t, s, 3)
	must(s.RemovePhoto(ctx, store.PhotoRemoval{ID: "3", PhotoID: storetest.PhotoID(1), By: "mia"}))
	made, err := s.Create(ctx, store.NewComment{ProductID: "42", Rating: 4, Language: "en", Title: "T", Text: "t", Author: "Alice", Owner: "alice", OnePerOwner: true, IdempotencyKey: "k"})
	must(made, err)
	inPre, err := s.Create(ctx, store.NewComment{ProductID: "43", Rating: 4, Language: "en", Owner: "alice"})
	must(inPre, err)
	must(s.Import(ctx, []store.Comment{{ID: "45", ProductID: "45", Rating: 1, Language: "en", CreatedAt: at}}))
	must(s.Update(ctx, store.Change{ID: made.ID, Title: new("Title"), By: "alice"}))
	must(s.Reply(ctx, made.ID, "Thanks", nil))
	for _, voter := range []key.Voter{key.VoterOf("bob"), key.VisitorOf("v")} {
		for _, vote := range []votes.Vote{votes.Unhelpful, votes.Helpful, votes.None} {
			must(s.Vote(ctx, made.ID, voter, vote, nil))
		}
	}
	_, _, err = s.Notify(ctx, made.ID, moderation.Notice{Name: "Ann", Email: "ann@example.org", Reason: "rude"})
	must(nil, err)
	must(s.Report(ctx, made.ID, "bob", "rude"))
	must(nil, s.Moderation().Look(ctx, made.ID, "mia"))
	must(s.Decide(ctx, store.Ruling{ID: made.ID, Verb: moderation.Approve, By: "mia", Reason: "fine"}))
	must(s.Decide(ctx, store.Ruling{ID: "1", Verb: moderation.Reject, By: "mia", Reason: "rude"}))
	must(s.Delete(ctx, "2", nil))
	must(s.Delete(ctx, "45", nil))
	for server := range 2 { // more languages than are listed: neither server knows the languages of the other
		var comments []store.Comment
		for i := range stats.MaxLanguages {
			language := fmt.Sprintf("%c%c%c", 'a'+server, 'a'+i/26, 'a'+i%26)
			comments = append(comments, store.Comment{ID: language, ProductID: "44", Rating: 1, Language: language, CreatedAt: at})
		}
		must(store.New(client, "comments", o).Import(ctx, comments))
	}
	var many []store.Comment // so many that page numbers have several levels
	for i := range 1000 {
		many = append(many, store.Comment{ID: fmt.Sprint("many", i), ProductID: "48", Rating: 1, Language: "en", CreatedAt: at.Add(time.Duration(i) * time.Second)})
	}
	must(s.Import(ctx, many))
	time.Sleep(time.Minute)
	must(nil, s.PowerSets().Enable(ctx, "44", nil)) // of which there are comments
	must(s.Delete(ctx, inPre.ID, nil))
	must(s.Decide(ctx, store.Ruling{ID: "pending", Verb: moderation.Reject, By: "mia", Reason: "rude"}))
	time.Sleep(5 * time.Minute)

	define(definitions.Scope{Product: "42"}, attributes.Definition{Key: "fit", Type: attributes.Number, Shown: true})
	define(definitions.Scope{Group: "shoes"}, attributes.Definition{Key: "size", Type: attributes.Number, Shown: true})
	must(nil, s.SetScoring(ctx, settings.Scoring{Mean: 3000, Weight: 5, Least: 3}, store.ScoringOptions{}))
	time.Sleep(5 * time.Minute)
	must(nil, c.Rebuild(ctx, stream.RebuildOptions{}))
	db.Roll()
	time.Sleep(2 * time.Hour)
	unlisted := store.New(&storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if q, ok := in.(*dynamodb.QueryInput); ok && aws.ToString(q.IndexName) == key.All.Name {
			return &smithy.GenericAPIError{Code: "ValidationException", Message: "it cannot be listed"}
		}
		_, err := call(ctx)
		return err
	}}, "comments", o)
	define(definitions.Scope{Product: "46"}, attributes.Definition{Key: "fit", Type: attributes.Number})
	must(s.Settings().ChangeWith(ctx, func(now *settings.Settings) ([]table.Write, bool, error) {
		return s.PowerSets().Begin(now, "46"), true, nil
	}))
	for range 2 { // it is the first that sees them, and so the first that need not wait
		_, _ = unlisted.AttributeIndex().Maintain(ctx), unlisted.PowerSets().Maintain(ctx)
		time.Sleep(unlisted.Settings().SettleTime())
	}
	must(nil, s.PowerSets().Disable(ctx, "42", nil))
	must(s.Erase(ctx, store.Erasure{Subject: "alice", Anonymous: true}))

	must(nil, s.Settings().SetNote(ctx, "demo", "loaded"))
	must(s.Settings().Change(ctx, func(now *settings.Settings) (bool, error) { return now.KeepPages(false), nil }))
	mu.Lock()
	defer mu.Unlock()
	return items
}

// failing is the error of a mail server that refuses a message for good.
type failing struct{ error }

func (failing) Permanent() bool { return true }

// askForReviews makes requests with every end that is counted.
func askForReviews(t *testing.T, s *store.Store, o orders.Order) {
	t.Helper()
	ctx, all, optOut := t.Context(), s.Requests(), ""
	o.Times[orders.Delivered-1] = o.Times[orders.Placed-1]
	for _, id := range []string{"answered", "failed", "opted-out"} {
		o.ID, o.Username, o.Contact = id, "", &requests.Contact{Email: id + "@example.com"}
		_, _, err := s.RecordOrder(ctx, o)
		testkit.Must(t, err)
	}
	testkit.Must(t, s.RequestSender(requests.Policy{After: time.Nanosecond}, func(_ context.Context, a *requests.Asking) error {
		switch a.OrderID {
		case "failed":
			return failing{errors.New("no such address")}
		case "opted-out":
			optOut = a.OptOut
		}
		return nil
	}, nil).Drain(ctx))
	testkit.Must(t, errors.Join(all.Opened(ctx, "answered"), all.Answered(ctx, "answered"), all.OptOut(ctx, optOut)))
}

// row is an item of the format: its keys and its attributes.
type row struct {
	item       string
	pk, sk     *regexp.Regexp // sk is nil if it is the same, or bytes
	same       bool
	attributes map[string]bool // by name and type: of each whether it was found
	found      bool
}

var blank = regexp.MustCompile(`<\w+>`)

// keyOf returns what a part of a key looks like, which has alternatives.
func keyOf(part string) *regexp.Regexp {
	var all []string
	for s := range strings.SplitSeq(part, " or ") {
		all = append(all, blank.ReplaceAllStringFunc(s, func(name string) string {
			switch name {
			case "<position>":
				return `\d{23}#[^#/]+`
			case "<begin>":
				return `(\d{0,23}|\d{23}#[^#/]*)`
			}
			return `[^#/]+`
		}))
	}
	return regexp.MustCompile("^(" + strings.Join(all, "|") + ")$")
}

// rows reads the format.
func rows() (all []*row) {
	var spelled []string
	for _, s := range sets {
		spelled = append(spelled, s.name, s.attributes)
	}
	expand := strings.NewReplacer(spelled...)
	for _, f := range format {
		pk, sk, two := strings.Cut(f.keys, ", ")
		r := &row{item: f.item, same: !two, attributes: map[string]bool{}}
		if strings.Contains(f.item, "second table") {
			pk, two, r.same = strings.ReplaceAll(f.keys, ", ", " or "), false, false
		}
		if r.pk = keyOf(pk); two {
			r.sk = keyOf(sk)
		}
		for _, a := range attribute.FindAllStringSubmatch(expand.Replace(f.attributes), -1) {
			r.attributes[a[1]+" "+a[2]] = false
		}
		all = append(all, r)
	}
	return all
}

// is reports whether an item is one of the row.
func (r *row) is(it table.Item) bool {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	return r.pk.MatchString(pk) && (r.sk != nil && r.sk.MatchString(sk) || r.same && pk == sk || r.sk == nil && !r.same)
}

// The format has every item that the service makes, with every attribute, and no other.
func TestFormat(t *testing.T) {
	all := rows()
	testkit.Need(t, len(all) > 30 && settings.Format == 1, "%d rows of format %d", len(all), settings.Format)
	unknown := map[string]bool{}
	synctest.Test(t, func(t *testing.T) {
		for _, it := range everyItem(t) {
			i := slices.IndexFunc(all, func(r *row) bool { return r.is(it) })
			if i < 0 {
				unknown[fmt.Sprintf("the item %q, %q", table.Text(it, key.PK), table.Text(it, key.SK))] = true
				continue
			}
			all[i].found = true
			for name, value := range it {
				a := name + " " + strings.TrimPrefix(fmt.Sprintf("%T", value), "*types.AttributeValueMember")
				if _, known := all[i].attributes[a]; known {
					all[i].attributes[a] = true
				} else if name != key.PK && name != key.SK {
					unknown[all[i].item+": "+a] = true
				}
			}
		}
	})
	for _, what := range slices.Sorted(maps.Keys(unknown)) {
		t.Errorf("the format lacks %s", what)
	}
	for _, r := range all {
		testkit.Check(t, r.found, "the format has an item that was not found: %s", r.item)
		for a, found := range r.attributes {
			testkit.Check(t, found || !r.found, "the format has an attribute that was not found: %s: %s", r.item, a)
		}
	}
}
