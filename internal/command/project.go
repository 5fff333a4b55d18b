package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/delivery/webhook"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
	"product-comments/store/read/cache"
	"product-comments/store/settings"
)

type projectCmd struct {
	storeFlags
	keyFlags
	projectorFlags
	requestFlags
	linkFlags
	photoFlags
	adminFlags `embed:"" set:"admin_addr=127.0.0.1:8083"`
	drainFlags `embed:"" set:"drain_delay=5s"`
	Addr       string `help:"Address for /healthz and /readyz; empty for none." default:"127.0.0.1:8081" env:"ADDR"`
}

// operationsTimeout is the time limit of a request for health or metrics.
const operationsTimeout = 10 * time.Second

// Run projects until the context ends.
func (p *projectCmd) Run(ctx context.Context) (err error) {
	log := p.logger()
	if err := p.drainFlags.check(); err != nil {
		return err
	}
	watched := telemetry.New(telemetry.Options{Log: log})
	options := store.Options{Observer: watched}
	secrets, err := cursorKey.find(p.CursorKeysFile, p.made(&p.storeFlags))
	if err == nil {
		options.Keys, err = sealed.NewSet(secrets...)
	}
	if err != nil {
		return err
	}
	closePhotos, err := p.deletes(ctx, &p.storeFlags, &options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closePhotos()) }()
	opened, err := p.open(ctx, options)
	if err != nil {
		return ignoreCanceled(ctx, err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	watched.Store(opened.Store)
	asks, err := p.askingBy(opened, secrets, p.linkFlags, log)
	if err != nil {
		return err
	}
	defer asks.close()
	var listener net.Listener
	if p.Addr != "" {
		if listener, err = net.Listen("tcp", p.Addr); err != nil {
			return fmt.Errorf("listen: %w; --addr chooses another address", err)
		}
		defer listener.Close() // again, unless starting failed before it was served
	}
	operators, err := p.adminFlags.listen(projectAdminAddr, log)
	if err != nil {
		return err
	}
	if err := p.setPages(ctx, opened, log); err != nil {
		return err
	}
	projector := p.start(ctx, opened, watched, asks, log)
	defer projector.stop()
	log.Info("projecting", "engine", p.engineName(), "table", p.Table)
	health := httpapi.NewHealth(httpapi.Config{
		Ready: opened.Ready, Projector: projector.Status, Filling: backfillStatus(opened), Log: log, Telemetry: watched,
	})
	servers := serving{log: log, drain: health.Drain}
	if listener != nil {
		servers.delay = p.delay(listener.Addr())
	}
	servers.add(listener, newServer(health.Public(), operationsTimeout, log))
	servers.addOperators(operators, nil, health.Operators())
	return servers.serve(ctx)
}

// projectorFlags configure how the projector reads the table's stream.
type projectorFlags struct {
	PageNumbers             string     `help:"off: no page numbers and timelines, for all products. Each comment costs 6 to 14 write units less, and page, around, offset, pageCursors and timeline are not available. on: the next stats rebuild adds them. The table stores the setting for all processes. The default is the stored setting, on for a new table." enum:",on,off" default:"" env:"PAGE_NUMBERS" placeholder:"on|off"`
	RebuildRate             float64    `help:"Maximum capacity units a second of a rebuild that the projector begins by itself because records were lost; 0 is no limit." default:"1000" env:"REBUILD_RATE" placeholder:"UNITS"`
	WebhookPrivateAddresses bool       `help:"Send webhooks to addresses of this machine and of private networks too, and without encryption to http addresses. Only for shops whose receivers are in the same network." env:"WEBHOOK_PRIVATE_ADDRESSES"`
	Backlog                 cache.Size `name:"projector-memory" help:"Memory for records of the stream that are read but not yet projected; reading pauses when it is full." default:"64MiB" env:"PROJECTOR_MEMORY" placeholder:"SIZE"`
}

// sender returns the sender of a store's webhooks.
func sender(opened *openStore, private bool, asks *asking, log *slog.Logger, delivered func(string, outbox.Result)) *outbox.Sender {
	out := webhook.Sender{Outbox: opened.Outbox(), Client: outbound.New(outbound.Options{Private: private, Hint: "; --webhook-private-addresses allows more, within one network"}), Agent: agent(),
		Request: asks.about(opened)}
	return outbox.NewSender(opened.Outbox(), outbox.Options{Send: out.Send, Log: log, Delivered: delivered})
}

// setPages keeps page numbers or leaves them out, as the flag says.
func (f projectorFlags) setPages(ctx context.Context, opened *openStore, log *slog.Logger) error {
	if f.PageNumbers == "" {
		return nil
	}
	now, err := opened.Settings().Change(ctx, func(s *settings.Settings) (bool, error) {
		return s.KeepPages(f.PageNumbers == "on"), nil
	})
	if err == nil && f.PageNumbers == "on" && now.LeavesPages() {
		log.Warn("page numbers were left out: product-comments stats rebuild counts them again", "table", opened.Table())
	}
	return err
}

// projector is a consumer that runs until it is stopped.
type projector struct {
	*stream.Consumer
	stop func()
}

// start starts projecting and, unless watched is nil, sending webhooks and asking buyers. stop waits
// until all have ended.
func (f projectorFlags) start(ctx context.Context, opened *openStore, watched *telemetry.Telemetry, asks *asking, log *slog.Logger) *projector {
	consumer := stream.New(opened.Streams, opened.Projector(),
		stream.Options{Poll: opened.Poll, RebuildRate: f.RebuildRate, Memory: int64(f.Backlog), Log: log})
	// The projector outlives the signal until the remaining work of the command is done.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { _ = consumer.Run(ctx) }) // Run returns nil and logs its failures
	switch {
	case watched == nil: // a command that ends soon
	case opened.Outbox().Sends():
		sender := sender(opened, f.WebhookPrivateAddresses, asks, log, watched.Delivered)
		watched.Webhooks(sender.Status)
		running.Go(func() { sender.Run(ctx) })
		if asks.asks {
			running.Go(func() { asks.Run(ctx) })
		}
	default:
		log.Warn("webhooks and mails are not sent: give this process the cursor keys of the servers", "flag", "--cursor-keys-file")
	}
	return &projector{consumer, func() { cancel(); running.Wait() }}
}

// otherProjector describes whether a projector runs in another process; lost is true if none seems
// to. If that cannot be determined, such as without permission to read the stream, the description
// says so.
func otherProjector(ctx context.Context, opened *openStore) (said string, lost bool) {
	at, began, err := stream.Seen(ctx, opened.Streams, opened.Projector())
	since := time.Since(at).Round(time.Second)
	switch {
	case err != nil:
		return "whether another one runs is unknown: " + sentence(err), false
	case at.IsZero() && began:
		return "another one has begun", false
	case at.IsZero():
		return "and none has ever run for this table", true
	case since > stream.StoredEvery:
		return fmt.Sprintf("and no other one has reported its progress for %s", since), true
	default:
		return fmt.Sprintf("another one reported its progress %s ago", max(0, since)), false
	}
}

// warnNoProjector warns an operator of a server without a projector if no other process seems to
// run one.
func warnNoProjector(ctx context.Context, opened *openStore, log *slog.Logger) {
	if said, lost := otherProjector(ctx, opened); lost {
		log.Warn("no projector runs in this process, "+said+": counts, leaderboards and indexes are not updated; start product-comments project or serve --projector, unless AWS Lambda projects a table without writes", "table", opened.Table())
	}
}
