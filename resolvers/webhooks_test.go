package resolvers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/outbox"
)

// A service creates an endpoint, changes it and deletes it. Its secret is in the payloads that make
// one, and nowhere else.
func TestWebhookEndpoints(t *testing.T) {
	s := serve(t)
	shop := s.As(apitest.Shop)
	const all = `id url events productIds state disabledReason oldestUndelivered failures{nodes{reason}}`
	a := shop.Post(t, `mutation($p:[ID!]){createWebhookEndpoint(input:{url:"https://shop.example/hooks",events:[COMMENT_CREATED,REPLY_DELETED],productIds:$p}){
		secret endpoint{`+all+`} query{webhookEndpoints{id}}}}`, map[string]any{"p": []string{"42", globalid.Of(globalid.Product, "43")}})
	id := a.At(t, "createWebhookEndpoint", "endpoint", "id").(string)
	want := func(url, events, products, state, why string) string {
		return fmt.Sprintf(`{"id":%q,"url":%q,"events":[%s],"productIds":[%s],"state":%q,"disabledReason":%s,"oldestUndelivered":null,"failures":{"nodes":[]}}`,
			id, url, events, products, state, why)
	}
	secret := a.At(t, "createWebhookEndpoint", "secret").(string)
	testkit.Check(t, strings.HasPrefix(secret, "whsec_"), "the secret is %q", secret)
	testkit.Equal(t, string(a.Data), fmt.Sprintf(`{"createWebhookEndpoint":{"secret":%q,"endpoint":%s,"query":{"webhookEndpoints":[{"id":%q}]}}}`, secret,
		want("https://shop.example/hooks", `"COMMENT_CREATED","REPLY_DELETED"`, `"42","43"`, "ENABLED", "null"), id), "it creates")
	seen := []string{secret}
	read := func(endpoint string) {
		t.Helper()
		a := shop.Post(t, `{webhookEndpoint(id:"`+id+`"){`+all+`} webhookEndpoints{`+all+`}}`, nil)
		testkit.Equal(t, string(a.Data), `{"webhookEndpoint":`+endpoint+`,"webhookEndpoints":[`+endpoint+`]}`, "it reads %v", a.Errors)
	}
	change := func(input, endpoint string) {
		t.Helper()
		shop.Want(t, `mutation{updateWebhookEndpoint(input:{id:"`+id+`" `+input+`}){endpoint{`+all+`}}}`, `{"updateWebhookEndpoint":{"endpoint":`+endpoint+`}}`)
		read(endpoint)
	}
	read(want("https://shop.example/hooks", `"COMMENT_CREATED","REPLY_DELETED"`, `"42","43"`, "ENABLED", "null"))
	change(`url:"" `, want("https://shop.example/hooks", `"COMMENT_CREATED","REPLY_DELETED"`, `"42","43"`, "ENABLED", "null"))
	change(`url:"https://shop.example/2" events:[COMMENT_HIDDEN] productIds:[]`, want("https://shop.example/2", `"COMMENT_HIDDEN"`, ``, "ENABLED", "null"))
	change(`enabled:false`, want("https://shop.example/2", `"COMMENT_HIDDEN"`, ``, "DISABLED", `"an operator disabled it"`))
	for _, mutation := range []string{`sendTestEvent(input:{id:"` + id + `"}){eventId}`, `replayWebhookEvents(input:{id:"` + id + `" since:"2026-01-01T00:00:00Z"}){endpoint{id}}`} {
		shop.WantError(t, "mutation{"+mutation+"}", "CONFLICT", "")
	}
	change(`enabled:true`, want("https://shop.example/2", `"COMMENT_HIDDEN"`, ``, "ENABLED", "null"))
	for overlap, secrets := range map[string]int{"": 2, "overlap:0": 1} {
		a := shop.Post(t, `mutation{rotateWebhookSecret(input:{id:"`+id+`" `+overlap+`}){secret endpoint{id}}}`, nil)
		seen = append(seen, a.At(t, "rotateWebhookSecret", "secret").(string))
		p := testkit.Value(s.Store.Outbox().Endpoint(t.Context(), id))(t)
		if overlap != "" {
			testkit.Equal(t, len(testkit.Value(s.Store.Outbox().Open(&p, p.Created.AddDate(0, 0, 1)))(t)), secrets, "with the overlap %q", overlap)
		}
	}
	a = shop.Post(t, `mutation{sendTestEvent(input:{id:"`+id+`"}){eventId query{webhookEndpoint(id:"`+id+`"){oldestUndelivered}}}}`, nil)
	testkit.Check(t, strings.HasPrefix(a.At(t, "sendTestEvent", "eventId").(string), "evt_"), "it sends %s", a.Data)
	a.At(t, "sendTestEvent", "query", "webhookEndpoint", "oldestUndelivered")
	for _, secret := range seen {
		raw := strings.TrimPrefix(secret, "whsec_")
		logged := s.Log.String()
		testkit.Check(t, len(raw) >= 44 && !strings.Contains(logged, raw), "the log has the secret")
		again := shop.Post(t, `{webhookEndpoints{__typename `+all+` createdAt}}`, nil)
		testkit.Check(t, !strings.Contains(string(again.Data), raw), "a query has the secret: %s", again.Data)
	}
	shop.Want(t, `mutation{deleteWebhookEndpoint(input:{id:"`+id+`"}){deletedId query{webhookEndpoints{id}}}}`, `{"deleteWebhookEndpoint":{"deletedId":"`+id+`","query":{"webhookEndpoints":[]}}}`)
	for _, mutation := range []string{
		`updateWebhookEndpoint(input:{id:"$"})`, `rotateWebhookSecret(input:{id:"$"})`, `deleteWebhookEndpoint(input:{id:"$"})`,
		`replayWebhookEvents(input:{id:"$" since:"2026-01-01T00:00:00Z"})`, `sendTestEvent(input:{id:"$"})`,
	} {
		shop.WantError(t, "mutation{"+strings.ReplaceAll(mutation, "$", id)+"{__typename}}", "NOT_FOUND", "")
	}
	shop.Want(t, `{webhookEndpoint(id:"`+id+`"){id}}`, `{"webhookEndpoint":null}`)
}

func TestProblemsOfWebhookEndpoints(t *testing.T) {
	s := serve(t)
	shop := s.As(apitest.Shop)
	id := s.hook(t)
	product := globalid.Of(globalid.User, "alice")
	for _, c := range []struct{ mutation, want string }{
		{`createWebhookEndpoint(input:{url:"http://shop.example/hooks" events:[] productIds:[""]})`, "BAD_USER_INPUT events REQUIRED BAD_USER_INPUT productIds REQUIRED BAD_USER_INPUT url <nil>"},
		{`createWebhookEndpoint(input:{url:"shop" events:[WEBHOOK_TEST] productIds:["` + product + `"]})`, "BAD_USER_INPUT events <nil> BAD_USER_INPUT productIds OTHER_KIND BAD_USER_INPUT url <nil>"},
		{`createWebhookEndpoint(input:{url:"https://x.example/` + strings.Repeat("x", 1000) + `" events:[COMMENT_CREATED] productIds:[` + strings.Repeat(`"a"`, 101) + `]})`,
			"BAD_USER_INPUT productIds TOO_MANY 101 of 100 BAD_USER_INPUT url TOO_LONG 1018 of 1000"},
		{`updateWebhookEndpoint(input:{id:"` + id + `" url:"http://shop.example" events:[] productIds:["` + product + `"]})`,
			"BAD_USER_INPUT events REQUIRED BAD_USER_INPUT productIds OTHER_KIND BAD_USER_INPUT url <nil>"},
		{`rotateWebhookSecret(input:{id:"` + id + `" overlap:721})`, "BAD_USER_INPUT overlap OUT_OF_RANGE 721 of 720"},
		{`rotateWebhookSecret(input:{id:"` + id + `" overlap:-1})`, "BAD_USER_INPUT overlap OUT_OF_RANGE -1 of 0"},
		{`replayWebhookEvents(input:{id:"` + id + `" since:"0001-01-01T00:00:00Z"})`, "BAD_USER_INPUT since OUT_OF_RANGE 1 of 1970"},
	} {
		got := strings.Join(problemsOf(shop.Post(t, "mutation{"+c.mutation+"{__typename}}", nil)), " ")
		testkit.Check(t, got == c.want, "%.100s: %s, want %s", c.mutation, got, c.want)
	}
	create := `mutation{createWebhookEndpoint(input:{url:"https://shop.example/hooks" events:[COMMENT_CREATED]}){endpoint{id}}}`
	for range outbox.MaxEndpoints - 1 {
		shop.Post(t, create, nil).At(t, "createWebhookEndpoint", "endpoint", "id")
	}
	shop.WantError(t, create, "CONFLICT", "")
	testkit.Equal(t, len(shop.Post(t, `{webhookEndpoints{id}}`, nil).At(t, "webhookEndpoints").([]any)), outbox.MaxEndpoints, "endpoints")
}

// Failures are read by pages, the newest first.
func TestWebhookFailures(t *testing.T) {
	s := serve(t)
	id, other := s.hook(t), s.hook(t)
	var events []any
	for range 5 {
		events = append([]any{testkit.Value(s.Store.Outbox().Test(t.Context(), id))(t)}, events...)
		s.fail(t)
		yes := true // 410 has disabled it
		testkit.Value(s.Store.Outbox().Update(t.Context(), id, outbox.Change{Enabled: &yes}))(t)
	}
	var got []any
	for after := ""; len(got) < 10; {
		page := fmt.Sprintf(`{webhookEndpoint(id:%q){failures(first:2,after:%q){edges{cursor node{eventId type attempts reason}}pageInfo{hasNextPage endCursor}}}}`, id, after)
		a := s.As(apitest.Shop).Post(t, page, nil)
		for i := range a.At(t, "webhookEndpoint", "failures", "edges").([]any) {
			failure := a.At(t, "webhookEndpoint", "failures", "edges", i, "node").(map[string]any)
			got = append(got, failure["eventId"])
			delete(failure, "eventId")
			testkit.Equal(t, fmt.Sprint(failure), "map[attempts:1 reason:it answered 410 Gone type:WEBHOOK_TEST]", "a failure")
		}
		if a.At(t, "webhookEndpoint", "failures", "pageInfo", "hasNextPage") == false {
			break
		}
		after = a.At(t, "webhookEndpoint", "failures", "pageInfo", "endCursor").(string)
		s.As(apitest.Shop).WantError(t, fmt.Sprintf(`{webhookEndpoint(id:%q){failures(after:%q){nodes{at}}}}`, other, after), "BAD_USER_INPUT", "after")
	}
	testkit.Equal(t, fmt.Sprint(got), fmt.Sprint(events), "by pages")
}

// hook creates a webhook endpoint and returns its id.
func (s *service) hook(t *testing.T) string {
	t.Helper()
	p, _, err := s.Store.Outbox().Create(t.Context(), outbox.Endpoint{URL: "https://shop.example/hooks", Types: outbox.Types, Products: []string{"42"}})
	testkit.Must(t, err)
	return p.ID
}

// fail answers 410 to all events that wait.
func (s *service) fail(t *testing.T) {
	t.Helper()
	send := func(context.Context, *outbox.Endpoint, *outbox.Event) outbox.Outcome {
		return outbox.Outcome{Err: errors.New("it answered 410 Gone"), Gone: true}
	}
	testkit.Must(t, outbox.NewSender(s.Store.Outbox(), outbox.Options{Send: send}).Drain(t.Context()))
}
