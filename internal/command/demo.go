package command

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"time"

	"product-comments/internal/delivery/mail"
	pictures "product-comments/internal/files/photos"
	"product-comments/internal/site/demo"
	"product-comments/internal/site/shop"
	"product-comments/store/outbox"
)

// demoCounted limits the wait until the statistics include the demo comments.
const demoCounted = time.Minute

// beginDemo starts loading the demo comments. It returns when a first page can be shown, or when
// loading has ended; the rest is loaded while the server serves. stop ends the loading, which the
// next start continues, and waits for its end. With delivers, there are orders whose buyers are asked
// for reviews.
func beginDemo(
	ctx context.Context, opened *openStore, bucket *pictures.Bucket, caughtUp func(context.Context) error, delivers bool, log *slog.Logger,
) (stop func()) {
	loading, cancel := context.WithCancel(context.WithoutCancel(ctx))
	begun, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err := demo.Load(loading, opened.Store, bucket, log, func() {
			close(begun)
			if !delivers {
				return
			}
			if err := demo.Deliver(loading, opened.Store); err != nil && loading.Err() == nil {
				log.Warn("the demo's buyers are not asked for reviews", "error", err)
			}
		})
		if err != nil {
			if loading.Err() == nil {
				log.Error("not all demo comments could be loaded", "error", err)
			}
			return
		}
		waiting, cancel := context.WithTimeout(loading, demoCounted)
		defer cancel()
		if err := caughtUp(waiting); err != nil && loading.Err() == nil {
			log.Info("the statistics do not count all demo comments yet")
			return
		}
		if err := demo.Fill(waiting, opened.Store); err != nil && loading.Err() == nil {
			log.Info("the attribute indexes do not have all demo comments yet")
		}
	}()
	select {
	case <-begun:
	case <-ended:
	case <-ctx.Done():
	}
	return func() { cancel(); <-ended }
}

// demoReceiver makes the demo's shop get webhooks: its endpoint is created once, and follows the
// server's address. It returns nil, and logs why, if that fails.
func demoReceiver(ctx context.Context, o *outbox.Outbox, addr net.Addr, log *slog.Logger) *shop.Receiver {
	at := "http://" + addr.String() + shop.HooksPath
	p, err := demoEndpoint(ctx, o, at)
	if err != nil {
		log.Warn("the demo's shop gets no webhooks", "error", err)
		return nil
	}
	return &shop.Receiver{Secrets: func(ctx context.Context) ([][]byte, error) {
		p, err := o.Endpoint(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		return o.Open(&p, time.Now())
	}}
}

func demoEndpoint(ctx context.Context, o *outbox.Outbox, at string) (p outbox.Endpoint, err error) {
	all, err := o.Endpoints(ctx)
	if err != nil {
		return p, err
	}
	for _, p := range all {
		if isLoopback(p.URL) && strings.HasSuffix(p.URL, shop.HooksPath) {
			if p.URL != at {
				return o.Update(ctx, p.ID, outbox.Change{URL: &at})
			}
			return p, nil
		}
	}
	p, _, err = o.Create(ctx, outbox.Endpoint{URL: at, Types: outbox.Types})
	return p, err
}

// demoMails returns the mails of a folder for the demo's shop.
func demoMails(folder string) func(most int) ([]shop.Mail, error) {
	return func(most int) ([]shop.Mail, error) {
		sent, err := mail.List(folder, most)
		all := make([]shop.Mail, len(sent))
		for i, m := range sent {
			all[i] = shop.Mail{Subject: m.Subject, To: m.To, At: m.At, HTML: m.HTML}
		}
		return all, err
	}
}
