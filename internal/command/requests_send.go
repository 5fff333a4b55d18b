package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"product-comments/store"
	"product-comments/store/key/sealed"
)

// askFlags configure a command that makes the messages of requests as servers do.
type askFlags struct {
	storeFlags
	keyFlags
	requestFlags
	linkFlags
	orderArg
}

// withAsking opens the store and what asks buyers, and calls do.
func (f *askFlags) withAsking(ctx context.Context, do func(*openStore, *asking) error) error {
	secrets, err := f.need(&f.storeFlags)
	if err != nil {
		return err
	}
	if f.ReviewsAddress == "" {
		return errors.New("--reviews-address is missing: links in mails begin with it")
	}
	keys, err := sealed.NewSet(secrets...)
	if err != nil {
		return err
	}
	return f.withOptions(ctx, store.Options{Keys: keys}, func(opened *openStore) error {
		asks, err := f.askingBy(opened, secrets, f.linkFlags, f.logger())
		if err != nil {
			return err
		}
		defer asks.close()
		return do(opened, asks)
	})
}

type requestsPreview struct{ askFlags }

// Run prints the mail that is next for an order.
func (r *requestsPreview) Run(ctx context.Context) error {
	if r.MailFrom == "" {
		r.MailFrom = "Shop <reviews@shop.example>"
	}
	return r.withAsking(ctx, func(opened *openStore, asks *asking) error {
		q, err := opened.Requests().Get(ctx, r.Order)
		if err != nil {
			return err
		}
		message, err := asks.Message(ctx, r.Order, q != nil && q.Reminds())
		if err != nil {
			return err
		}
		m, err := asks.message(message)
		if err != nil {
			return err
		}
		text, err := asks.mails.Write(m, time.Now())
		if err == nil {
			_, err = os.Stdout.Write(text)
		}
		return err
	})
}

type requestsSend struct {
	askFlags
	Now bool `help:"Send although it is not due yet, at any hour. A reminder is never sent early."`
}

// Run sends the message of an order that is due.
func (r *requestsSend) Run(ctx context.Context) error {
	return r.withAsking(ctx, func(opened *openStore, asks *asking) error {
		if idle, err := asks.Idle(ctx); idle || err != nil {
			return errors.Join(err, errors.New("nothing can leave: give --smtp-url, or create an endpoint for the webhook request.due"))
		}
		if r.Now {
			if _, err := opened.Requests().Schedule(ctx, r.Order, time.Now()); err != nil {
				return err
			}
		}
		_, failed := asks.Now(ctx, r.Order)
		q, err := opened.Requests().Get(ctx, r.Order)
		if err == nil && q != nil {
			fmt.Println(describeRequest(q))
		}
		return errors.Join(failed, err)
	})
}
