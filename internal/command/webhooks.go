package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
)

type webhooksCmd struct {
	List   webhooksList   `cmd:"" help:"Show the endpoints, what they have not got, and their newest failures."`
	Add    webhooksAdd    `cmd:"" help:"Create an endpoint, which from now on gets events, and print its secret."`
	Remove webhooksRemove `cmd:"" help:"Delete an endpoint. Events that it has not got are not sent any more."`
	Rotate webhooksRotate `cmd:"" help:"Give an endpoint a new secret and print it."`
	Replay webhooksReplay `cmd:"" help:"Send an endpoint again all its events since a time. Events are kept for seven days, and repeats have the same ids."`
	Test   webhooksTest   `cmd:"" help:"Send an endpoint an event of the type webhook.test, and print the id of the event."`
}

// shownFailures is how many failures of an endpoint are listed.
const shownFailures = 10

type webhooksList struct{ storeFlags }

// Run prints the endpoints.
func (w *webhooksList) Run(ctx context.Context) error {
	return w.withStore(ctx, func(opened *openStore) error {
		all, err := opened.Outbox().Endpoints(ctx)
		if err != nil {
			return err
		}
		for i := range all {
			if err := printEndpoint(ctx, opened.Outbox(), &all[i]); err != nil {
				return err
			}
		}
		if len(all) == 0 {
			fmt.Println("there are no webhook endpoints: webhooks add creates one")
		}
		return nil
	})
}

func printEndpoint(ctx context.Context, o *outbox.Outbox, p *outbox.Endpoint) error {
	at, err := o.Progress(ctx, p.ID)
	if err != nil {
		return err
	}
	oldest, err := o.Oldest(ctx, p, at)
	if err != nil {
		return err
	}
	failures, err := o.Failures(ctx, p.ID, list.Window[key.Position]{Limit: shownFailures})
	if err != nil {
		return err
	}
	state := "enabled"
	if p.Disabled != "" {
		state = "disabled: " + p.Disabled
	}
	fmt.Printf("%s %s, %s\n  %s, since %s\n", p.ID, p.URL, state, wants(p), p.Created.Format(time.RFC3339))
	if !oldest.IsZero() {
		fmt.Println("  oldest undelivered event:", oldest.Format(time.RFC3339))
	}
	if !at.Failing.IsZero() {
		fmt.Printf("  all deliveries have failed since %s, the last one: %s\n", at.Failing.Format(time.RFC3339), at.Reason)
	}
	for _, f := range failures.Items {
		fmt.Printf("  failed: %s %s of %s, sent %s: %s\n", f.At.CommentID, f.Type, f.At.CreatedAt.Format(time.RFC3339),
			progress.Counted(int64(f.Attempts), "time"), f.Reason)
	}
	if failures.HasNext {
		fmt.Println("  and older failures, which the API lists")
	}
	return nil
}

func joinTypes(types []outbox.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ", ")
}

// wants describes the events that an endpoint gets.
func wants(p *outbox.Endpoint) string {
	said := joinTypes(p.Types)
	switch {
	case len(p.Types) == len(outbox.Types):
		said = "all events"
	case said == joinTypes(outbox.OfComments):
		said = "all events of comments"
	}
	if len(p.Products) == 0 {
		return said + " of all products"
	}
	return said + " of the products " + strings.Join(p.Products, ", ")
}

// withKeys opens the store with the keys of the secrets of endpoints, and calls do.
func (f *keyFlags) withKeys(ctx context.Context, of *storeFlags, o store.Options, do func(*outbox.Outbox) error) error {
	secrets, err := f.need(of)
	if err == nil {
		o.Keys, err = sealed.NewSet(secrets...)
	}
	if err != nil {
		return err
	}
	return of.withOptions(ctx, o, func(opened *openStore) error { return do(opened.Outbox()) })
}

func printSecret(secret string) {
	fmt.Printf("%s\nThis secret verifies the signatures. It is shown only now: give it to the receiver.\n", secret)
}

type webhooksAdd struct {
	storeFlags
	keyFlags
	URL                     string        `arg:"" help:"The https address that gets the events." name:"url"`
	Event                   []outbox.Type `help:"Type of the events that it gets; may be given several times. The default is all of comments: ${webhook_events}. Others must be named: ${request_events}. request.due carries the buyer's address." placeholder:"TYPE"`
	Product                 []string      `help:"The shop's id of a product whose events it gets; may be given several times. The default is all." placeholder:"ID" sep:"none" type:"product"`
	WebhookPrivateAddresses bool          `help:"Allow an http address. The process that sends webhooks needs the flag too." env:"WEBHOOK_PRIVATE_ADDRESSES"`
}

// Run creates an endpoint and prints its secret.
func (w *webhooksAdd) Run(ctx context.Context) error {
	if w.Event == nil {
		w.Event = outbox.OfComments
	}
	return w.withKeys(ctx, &w.storeFlags, store.Options{PrivateWebhooks: w.WebhookPrivateAddresses}, func(o *outbox.Outbox) error {
		p, secret, err := o.Create(ctx, outbox.Endpoint{URL: w.URL, Types: w.Event, Products: w.Product})
		if err != nil {
			return err
		}
		fmt.Printf("webhook endpoint %s gets %s\n", p.ID, wants(&p))
		printSecret(secret)
		return nil
	})
}

// endpointArg names an endpoint.
type endpointArg struct {
	ID string `arg:"" help:"The id of the endpoint, as webhooks list shows it." name:"id"`
}

type webhooksRemove struct {
	storeFlags
	endpointArg
}

// Run deletes an endpoint.
func (w *webhooksRemove) Run(ctx context.Context) error {
	return w.withStore(ctx, func(opened *openStore) error {
		p, err := opened.Outbox().Delete(ctx, w.ID)
		if err == nil {
			fmt.Printf("webhook endpoint %s is deleted: %s gets no more events\n", p.ID, p.URL)
		}
		return err
	})
}

type webhooksRotate struct {
	storeFlags
	keyFlags
	endpointArg
	Overlap time.Duration `help:"How long the earlier secret signs too, at most 720h." default:"24h" placeholder:"TIME"`
}

// Run gives an endpoint a new secret and prints it.
func (w *webhooksRotate) Run(ctx context.Context) error {
	return w.withKeys(ctx, &w.storeFlags, store.Options{}, func(o *outbox.Outbox) error {
		p, secret, err := o.Rotate(ctx, w.ID, w.Overlap)
		if err != nil {
			return err
		}
		fmt.Printf("webhook endpoint %s has a new secret; the earlier one is valid for %s\n", p.ID, w.Overlap)
		printSecret(secret)
		return nil
	})
}

type webhooksReplay struct {
	storeFlags
	endpointArg
	Since time.Time `help:"Send events at this time or later: RFC 3339, such as 2026-03-09T08:00:00Z." required:"" placeholder:"TIME"`
}

// Run makes an endpoint get events again.
func (w *webhooksReplay) Run(ctx context.Context) error {
	if err := item.ValidateTime("--since", w.Since); err != nil {
		return err
	}
	return w.withStore(ctx, func(opened *openStore) error {
		p, err := opened.Outbox().Replay(ctx, w.ID, w.Since)
		if err == nil {
			fmt.Printf("webhook endpoint %s gets its events since %s again\n", p.ID, w.Since.Format(time.RFC3339))
		}
		return err
	})
}

type webhooksTest struct {
	storeFlags
	endpointArg
}

// Run sends a test event.
func (w *webhooksTest) Run(ctx context.Context) error {
	return w.withStore(ctx, func(opened *openStore) error {
		id, err := opened.Outbox().Test(ctx, w.ID)
		if err == nil {
			fmt.Println(id)
		}
		return err
	})
}
