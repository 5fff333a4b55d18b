package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/access"
	"product-comments/internal/lambda"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// recorded is what some calls needed.
type recorded struct {
	mu   sync.Mutex
	seen map[Action]bool
}

// client returns a client whose calls are recorded.
func (r *recorded) client(t *testing.T) store.API {
	return storetest.Actions(storetest.Client(t), func(action, with string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.seen == nil {
			r.seen = map[Action]bool{}
		}
		r.seen[Action{action, with}] = true
	})
}

// want compares what was needed with what the role allows on the table.
func (r *recorded) want(t *testing.T, role string) {
	t.Helper()
	allowed := testkit.Value(template(t).Allowed(role))(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, need := range slices.SortedFunc(maps.Keys(r.seen), byName) {
		testkit.Check(t, allowed[need], "%s does not allow %s, which is needed", role, need)
	}
	for _, a := range slices.SortedFunc(maps.Keys(allowed), byName) {
		testkit.Check(t, a.With != "table" && a.With != "index" && a.With != "columns" || r.seen[a], "%s allows %s, which nothing needs", role, a)
	}
}

// age of what is known of the settings, short because changes are waited for.
const age = 20 * time.Millisecond

// created is when the comments were written.
var created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func byName(a, b Action) int { return strings.Compare(a.String(), b.String()) }

// newTable makes a table as CloudFormation does, without any item.
func newTable(t *testing.T, api storetest.API) string {
	t.Helper()
	name := storetest.TableName(t)
	for _, in := range []*dynamodb.CreateTableInput{store.Design().Definition(name), table.ColumnsDefinition(name)} {
		testkit.Value(api.CreateTable(t.Context(), in))(t)
	}
	return name
}

// mutations are what a shop's visitors write: one of each, and one of them twice.
var mutations = []string{
	`createComment(input:{productId:"42",rating:5,language:"en",text:"a",idempotencyKey:"k"}){comment{id}}`,
	`createComment(input:{productId:"42",rating:5,language:"en",text:"a",idempotencyKey:"k"}){comment{id}}`,
	`createComment(input:{productId:"42",rating:1,language:"de",text:"b"}){comment{id}}`,
	`updateComment(input:{id:"fixed",rating:4}){comment{id}}`,
	`voteHelpful(input:{id:"fixed",vote:HELPFUL}){comment{helpfulCount viewerVote}}`,
	`reportComment(input:{id:"fixed",reason:"a"}){comment{id}}`,
	`rejectComment(input:{id:"fixed",reason:"a"}){comment{state}}`,
	`lookAtComment(input:{id:"fixed"}){comment{lookedAtBy{by}}}`,
	`approveComment(input:{id:"fixed"}){comment{history{by} reports{by}}}`,
	`replyToComment(input:{id:"fixed",text:"a"}){comment{reply{text}}}`,
	`deleteComment(input:{id:"fixed"}){deletedId}`,
}

// messages are what a shop's systems tell of orders.
var messages = []string{
	`recordOrder(input:{orderId:"1",subject:"mia",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1}]}){order{id user{createdAt}}}`,
	`recordOrder(input:{orderId:"2",subject:"mia",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1}]}){order{id}}`,
	`setOrderStatus(input:{id:"1",status:DELIVERED,at:"2023-01-02T10:00:00Z"}){order{status}}`,
}

// moderator may do all of the rest, and has comments and orders of their own; service
// tells of orders.
var (
	moderator = access.Viewer{Subject: "mia", Role: access.Moderator}
	service   = access.Viewer{Subject: "shop", Role: access.Service}
)

// reads are every way to read.
var reads = []string{
	`product(id:"42"){totalOfAll:stats{totalCount} comments(first:1){totalCount nodes{id text author} pageInfo{hasNextPage}}}`,
	`product(id:"42"){comments(ratings:[1,5],language:"en"){nodes{id text}}}`,
	`comment(id:"fixed"){id} leaderboard(first:1){nodes{productId}}`,
	`nodes(ids:["Q29tbWVudDpmaXhlZA"]){id} products(ids:["42","43"]){comments(ratings:[1,2]){nodes{id}}}`,
	`moderationQueue{nodes{id reportCount} totalCount counts{count}}`,
	`user(id:"mia"){createdAt orders{nodes{lines{quantity}}} of:orders(filter:{status:DELIVERED,shippedAfter:"2023-01-01T00:00:00Z"}){nodes{id}} comments{nodes{state}}}`,
	`openOrders{nodes{id lines{quantity}}} order(id:"1"){id lines{quantity}}`,
	`product(id:"42"){viewerComments{nodes{id}} comments{nodes{viewerCanDelete viewerVote viewerHasReported helpfulCount}} attributeStats(key:"size"){count}}`,
}

// The role of the API allows what the API calls, and nothing else. The tests of
// the contract run within it, too.
func TestRoleOfTheAPI(t *testing.T) {
	name := newTable(t, storetest.Client(t))
	admin := store.New(storetest.Client(t), name, store.Options{MetaAge: age})
	storetest.Project(t, admin.Projector())
	fixed := store.Comment{ID: "fixed", ProductID: "42", Rating: 3, Language: "en", CreatedAt: created}
	testkit.Value(admin.Import(t.Context(), []store.Comment{fixed}))(t)
	own := testkit.Value(admin.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 2, Language: "en", Owner: moderator.Subject}))(t)
	storetest.Project(t, admin.Projector())

	var calls recorded
	s := store.New(calls.client(t), name, store.Options{MetaAge: age})
	testkit.Must(t, s.EnsureTable(t.Context(), false))
	codec := testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t)
	handler := httpapi.New(httpapi.Config{Store: s, Ready: s.Ready, Cursors: codec, Limits: admission.DefaultLimits, Log: slog.New(slog.DiscardHandler)})
	ask := func(who access.Viewer, method, path, body string) {
		t.Helper()
		r := httptest.NewRequestWithContext(access.With(t.Context(), who), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		testkit.Check(t, w.Code == 200 && !strings.Contains(w.Body.String(), `"errors"`), "%s: %d %s", body, w.Code, w.Body)
	}
	ask(moderator, "GET", "/readyz", "")
	for _, step := range []struct {
		who  access.Viewer
		kind string
		all  []string
	}{
		{service, "mutation", messages},
		{moderator, "query", reads},
		{moderator, "mutation", mutations},
		{moderator, "mutation", []string{`withdrawComment(input:{id:"` + own.ID + `"}){comment{state}}`, `deleteComment(input:{id:"` + own.ID + `"}){deletedId}`}},
	} {
		for _, q := range step.all {
			ask(step.who, "POST", "/graphql", `{"query":"`+step.kind+`{`+strings.ReplaceAll(q, `"`, `\"`)+`}"}`)
		}
	}
	// What orders and the extremes of many numbers read.
	_, _, err := s.Projector().Table().Query(t.Context(), table.Query{Partition: key.ColumnValues("42", key.Helpful), Limit: 1})
	testkit.Must(t, err)
	calls.want(t, API)
}

// The role of the projector allows what the projector calls, and nothing else.
func TestRoleOfTheProjector(t *testing.T) {
	name := newTable(t, storetest.Client(t))
	admin := store.New(storetest.Client(t), name, store.Options{MetaAge: age})
	var calls recorded
	s := store.New(calls.client(t), name, store.Options{PlaceAge: -1, MetaAge: age})
	testkit.Must(t, s.EnsureTable(t.Context(), false))
	storetest.Project(t, s.Projector()) // of a table of which nothing is known yet
	comments := []store.Comment{{ID: "a", ProductID: "42", Rating: 5, Language: "en", CreatedAt: created}, {ID: "b", ProductID: "43", Rating: 1, Language: "en", CreatedAt: created}}
	write := func(c ...store.Comment) {
		t.Helper()
		testkit.Value(admin.Import(t.Context(), c))(t)
		storetest.Project(t, s.Projector())
	}
	change := func(alter func(*settings.Settings)) {
		t.Helper()
		testkit.Value(admin.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) { alter(now); return true, nil }))(t)
	}
	write(comments...)
	// Copies are kept of one product, and leave with their comment's rating.
	testkit.Value(admin.Settings().ChangeWith(t.Context(), func(now *settings.Settings) ([]table.Write, bool, error) {
		return admin.PowerSets().Begin(now, "42"), true, nil
	}))(t)
	for _, comments[0].Rating = range []int{2, 3} {
		write(comments[0])
	}
	// Attributes are defined, and a comment gets more of them than one transaction
	// writes.
	var defined []attributes.Definition
	for i := range 120 {
		defined = append(defined, attributes.Definition{Key: fmt.Sprint("k", i), Type: attributes.Number})
	}
	testkit.Value(admin.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "44"}, Definitions: defined}))(t)
	time.Sleep(2 * age) // until everybody knows
	many := store.Comment{ID: "c", ProductID: "44", Rating: 5, Language: "en", CreatedAt: created}
	write(many)
	for _, value := range []string{"1", "2"} {
		var values []string
		for _, d := range defined {
			values = append(values, `"`+d.Key+`":`+value)
		}
		many.Attributes = json.RawMessage("{" + strings.Join(values, ",") + "}")
		write(many)
	}
	// Someone buys what they wrote about.
	testkit.Value(admin.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 2, Language: "en", Owner: "alice"}))(t)
	if _, _, err := admin.RecordOrder(t.Context(), orders.Order{
		ID: "1", Username: "alice", Status: orders.Delivered, Times: orders.Times{created}, Lines: []orders.Line{{ProductID: "42", Quantity: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	storetest.Project(t, s.Projector())
	// Comments are brought into indexes at the end of windows.
	projector, ends := lambda.New(s.Projector(), slog.New(slog.DiscardHandler)), events.DynamoDBTimeWindowEvent{TimeWindowProperties: events.TimeWindowProperties{ShardID: "x"}}
	for range 4 {
		testkit.Value(projector.Handle(t.Context(), ends))(t)
		storetest.Project(t, s.Projector())
	}
	testkit.Equal(t, len(testkit.Value(admin.AttributeIndex().Backfill().All(t.Context()))(t)), 0, "backfills at the end")
	// A comment of someone who does not know yet that a rebuild began.
	comments[1].Rating = 4
	testkit.Value(admin.Import(t.Context(), comments))(t)
	change(func(now *settings.Settings) { now.Generation++ })
	storetest.Project(t, s.Projector())
	calls.want(t, Projector)
}

// The role of the sender of webhooks and review requests allows what the sender calls, and nothing else.
func TestRoleOfTheSender(t *testing.T) {
	name, keys := newTable(t, storetest.Client(t)), testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	admin := store.New(storetest.Client(t), name, store.Options{MetaAge: age, Keys: keys})
	storetest.Project(t, admin.Projector())
	p, _, err := admin.Outbox().Create(t.Context(), outbox.Endpoint{URL: "https://shop.example/hooks", Types: outbox.Types})
	testkit.Must(t, err)
	testkit.Value(admin.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 2, Language: "en"}))(t)
	storetest.Project(t, admin.Projector())
	var calls recorded
	s := store.New(calls.client(t), name, store.Options{MetaAge: age, Keys: keys})
	testkit.Must(t, s.EnsureTable(t.Context(), false))
	sent := 0
	sender := outbox.NewSender(s.Outbox(), outbox.Options{Send: func(context.Context, *outbox.Endpoint, *outbox.Event) outbox.Outcome {
		sent++
		return outbox.Outcome{Err: errors.New("it answered 500")}
	}})
	testkit.Must(t, lambda.Drain(sender.Drain)(t.Context()))
	at := testkit.Value(s.Outbox().Progress(t.Context(), p.ID))(t)
	testkit.Check(t, sent == 2 && len(at.Retries) == 2, "it sent %d events: %+v", sent, at)
	order := orders.Order{ID: "17", Status: orders.Delivered, Lines: []orders.Line{{ProductID: "42", Quantity: 1}}, Contact: &requests.Contact{Email: "alice@example.org"}}
	order.Times[orders.Placed-1], order.Times[orders.Delivered-1] = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)
	_, _, err = admin.RecordOrder(t.Context(), order)
	testkit.Must(t, err)
	asked := 0
	asks := s.RequestSender(requests.Policy{After: time.Second}, func(context.Context, *requests.Asking) error { asked++; return nil }, nil)
	for range 3 { // the first decides when it is due
		testkit.Must(t, lambda.Drain(asks.Drain)(t.Context()))
	}
	testkit.Equal(t, asked, 1, "mails")
	calls.want(t, Webhooks)
}
