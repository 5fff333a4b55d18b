package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"product-comments/access"
	"product-comments/internal/lambda"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/signin"
	"product-comments/internal/site/demo"
	"product-comments/internal/site/reviews"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/stream"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/key/sealed"
	"product-comments/store/read/cache"
)

type serveCmd struct {
	storeFlags
	keyFlags
	projectorFlags
	requestFlags
	documentFlags
	authFlags
	visitorFlags
	moderationFlags
	adminFlags `embed:"" set:"admin_addr=127.0.0.1:8082"`
	drainFlags `embed:"" set:"drain_delay=5s"`
	limitFlags
	reviewsFlags
	photoFlags
	staffFlags
	telemetryFlags
	Projector      *bool         `help:"Keep the statistics up to date in this process. The default is yes for the embedded engine." negatable:"" env:"PROJECTOR"`
	Addr           string        `help:"Address to listen on." default:"127.0.0.1:8080" env:"ADDR"`
	OnePerAuthor   bool          `help:"Allow each author one comment per product. Services and imports are exempt. All servers of a table must have the same." env:"ONE_PER_AUTHOR"`
	Demo           bool          `help:"Load generated demo comments into an empty table. On this machine alone, and with tokens of its own, the server also sends webhooks to its shop, as with --webhook-private-addresses." env:"DEMO"`
	Explain        *bool         `help:"Allow clients to query how a page was read (the field plan), which shows the table's layout. The default is yes with --demo." negatable:"" env:"EXPLAIN"`
	Origins        []string      `help:"Origins of other sites whose pages may call the API (CORS), such as https://shop.example, https://*.shop.example or http://localhost:*; comma-separated." env:"ORIGINS" placeholder:"ORIGIN"`
	AllowHeaders   []string      `help:"Headers that these pages may send in addition to the usual ones of GraphQL clients, tokens and tracing, such as X-Shop-Session; comma-separated." env:"ALLOW_HEADERS" placeholder:"HEADER"`
	RequestTimeout time.Duration `help:"Time limit of a request." default:"10s" env:"REQUEST_TIMEOUT"`

	CacheMaxAge   time.Duration `help:"How long caches may reuse answers to persisted queries by GET: whole seconds; 0 is never." default:"5s" env:"CACHE_MAX_AGE"`
	PageCache     time.Duration `help:"How old a page or statistics shared between visitors may be; 0 disables sharing. A visitor's own writes through this server are visible at once, and staff always get fresh reads." default:"1s" env:"PAGE_CACHE" placeholder:"TIME"`
	PageCacheSize cache.Size    `help:"Maximum bytes of such pages, such as 64MB." default:"64MB" env:"PAGE_CACHE_SIZE" placeholder:"SIZE"`
}

// gcPercent is the garbage collector's target. A page, or a line of an import, leaves much garbage
// and keeps little, so collecting less often than by default saves processor time. The collector runs
// more often when --memory is near. GOGC overrides the target.
const gcPercent = 400

// Run serves until the context ends, then completes the requests under way.
func (s *serveCmd) Run(ctx context.Context) (err error) {
	log := s.logger()
	s.WebhookPrivateAddresses = s.WebhookPrivateAddresses || s.demoAlone()
	if err := errors.Join(s.drainFlags.check(), s.limitFlags.check(), s.checkOrigins(), s.checkCaches()); err != nil {
		return err
	}
	caches := int64(0)
	if s.PageCache > 0 {
		caches = int64(s.PageCacheSize) / 8 * 11 // see store.Options
	}
	memory, err := s.memory(caches)
	if err != nil {
		return err
	}
	memory.Apply(gcPercent)
	sections, err := s.reviewsFlags.options(s.Demo)
	if err == nil && sections != nil {
		sections.Policy, err = s.policy()
	}
	if err != nil {
		return err
	}
	limits, err := s.limits(s.RequestTimeout, memory)
	if err != nil {
		return err
	}
	manifest, only, err := s.manifest(limits)
	if err != nil {
		return err
	}
	authn, err := s.authentication(ctx, s.ownFile(tokenSecret), log)
	if err != nil {
		return err
	}
	defer authn.Close()
	visitors, err := s.visitors(s.ownFile("visitor.key"))
	if err != nil {
		return err
	}
	if err := s.checkVisitors(s.RateLimit); err != nil {
		return err
	}
	signsIn, err := s.staff(authn.Roles)
	if err != nil {
		return err
	}
	rules := authn.rules(s.Addr, signsIn != nil && signsIn.Provider != nil, log)
	rules.Plans = valueOr(s.Explain, s.Demo)
	watched, err := s.watch(log)
	if err != nil {
		return err
	}
	defer watched.Close()
	moderates, err := s.moderationOptions()
	if err != nil {
		return err
	}
	options := store.Options{PageAge: s.PageCache, PageBytes: int64(s.PageCacheSize), Moderation: moderates,
		Observer: watched, PrivateWebhooks: s.WebhookPrivateAddresses}
	keys, err := s.need(&s.storeFlags)
	if err != nil {
		return err
	}
	codec, err := cursor.New(keys...)
	if err != nil {
		return err
	}
	invited, err := invitations.New(keys...)
	if err != nil {
		return err
	}
	if options.Keys, err = sealed.NewSet(keys...); err != nil {
		return err
	}
	pictures, err := s.photoFlags.options(ctx, &s.storeFlags, s.ReviewsAddress, keys, memory)
	if err != nil {
		return err
	}
	if pictures != nil {
		defer func() { err = errors.Join(err, pictures.Bucket.Close()) }()
		options.DeletePhoto = pictures.Bucket.Delete
	}
	opened, err := s.open(ctx, options)
	if err != nil {
		return ignoreCanceled(ctx, err)
	}
	if pictures != nil {
		pictures.Records = opened.Store
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if moderates.Mode != moderation.Off {
		watched.Queue(opened.Moderation().Counts)
	}
	if err := s.setPages(ctx, opened, log); err != nil {
		return err
	}
	var listener net.Listener
	var addr net.Addr // nil on Lambda, which delivers requests itself
	if !onLambda() {
		if listener, err = net.Listen("tcp", s.Addr); err != nil {
			return fmt.Errorf("listen: %w; --addr chooses another address", err)
		}
		defer listener.Close() // again, unless starting failed before it was served
		addr = listener.Addr()
	}
	asks, err := s.askingWith(opened, invited, sections, addr, log)
	if err != nil {
		return err
	}
	defer asks.close()
	if sections != nil {
		sections.Policy.Asked = asks.asks
	}
	var status func() stream.Status
	caughtUp := func(context.Context) error { return nil }
	if valueOr(s.Projector, s.onThisMachine()) {
		projector := s.start(ctx, opened, watched, asks, log)
		defer projector.stop()
		status, caughtUp = projector.Status, projector.Wait
	} else if !onLambda() {
		warnNoProjector(ctx, opened, log)
	}
	var playgroundTokens map[access.Role]string
	if s.Demo {
		stop := beginDemo(ctx, opened, bucketOf(pictures), caughtUp, s.demoAlone() && asks.asks, log)
		defer stop()
		playgroundTokens = authn.demoTokens(s.Addr, s.demoStaff(ctx, opened.Store, log), log)
	}
	limits.Hosts = hostsAt(addr, s.Hosts)
	site := s.shop()
	if site != nil && addr != nil && s.demoAlone() && playgroundTokens[access.Moderator] != "" {
		site.Receiver = demoReceiver(ctx, opened.Outbox(), addr, log)
		if s.SMTPURL == "" {
			site.Mails = demoMails(s.mailFolder())
		}
	}
	rules.PublicReports, rules.Notices = s.PublicReport, s.Notices
	link := staffAt(signsIn, addr, options.Keys)
	service := httpapi.New(httpapi.Config{
		Store: opened.Store, Ready: opened.Ready, Cursors: codec, Invitations: invited, Log: log, Origins: s.Origins,
		AllowHeaders: s.AllowHeaders, Projector: status,
		Elsewhere:   func(ctx context.Context) string { said, _ := otherProjector(ctx, opened); return said },
		Filling:     backfillStatus(opened),
		CacheMaxAge: s.CacheMaxAge, Telemetry: watched, Limits: limits,
		Rules: rules, OnePerAuthor: s.OnePerAuthor, Auth: authn.verifier, Visitors: visitors,
		PlaygroundTokens: playgroundTokens,
		Staff:            signsIn, Manifest: manifest, ManifestOnly: only, NoIntrospection: !s.Introspection,
		NoPlayground: !s.Playground, Reviews: sections, Shop: site, Photos: pictures, PhotoURL: urls(pictures),
	})
	if listener == nil {
		log.Info("serving requests from Lambda", "table", s.Table)
		lambda.Start(ctx, lambda.NewWeb(service, log).Handle)
		return nil
	}
	operators, err := s.adminFlags.listen(serveAdminAddr, log)
	if err != nil {
		return err
	}
	log.Info("serving", "url", "http://"+addr.String()+"/", "graphql", "/graphql", "engine", s.engineName(),
		"table", s.Table)
	switch {
	case link != "":
		log.Info("this link signs in to the desk of the staff, once, within ten minutes; 'product-comments staff link' with the same --addr and --data-dir prints another one", "url", link)
	case signsIn != nil:
		log.Info("the provider signs the staff in to the desk; it must allow the redirect address", "url", signsIn.Address+signin.Path,
			"issuer", signsIn.Provider.Issuer, "redirect", signsIn.Address+signin.PathCallback)
	}
	servers := serving{log: log, drain: service.Drain, delay: s.delay(addr)}
	limited, public := service.Listen(listener), newServer(service, s.RequestTimeout, log)
	public.ConnState = limited.Watch
	servers.add(limited, public)
	servers.addOperators(operators, s.Hosts, service.Operators())
	if sections != nil && sections.Catalogue != nil {
		servers.along = append(servers.along, func(ctx context.Context) { watchCatalogue(ctx, sections.Catalogue, opened.Families(), log) })
	}
	return servers.serve(ctx)
}

// askingWith returns what asks buyers for reviews. The demo writes its mails into a folder, at any hour.
func (s *serveCmd) askingWith(opened *openStore, invited *invitations.Codec, sections *reviews.Options, addr net.Addr, log *slog.Logger) (*asking, error) {
	f, at, folder := s.requestFlags, s.linkFlags, ""
	if s.demoAlone() && addr != nil {
		if at.ReviewsAddress == "" {
			at.ReviewsAddress = "http://" + addr.String()
		}
		if f.RequestAfter == nil {
			f.RequestAfter = new(period(demo.RequestAfter))
		}
		if f.SMTPURL == "" {
			folder, f.RequestHours = s.mailFolder(), hours{0, 24}
		}
	}
	var products *reviews.Catalogue
	if sections != nil {
		products = sections.Catalogue
	}
	return f.asking(opened, invited, at, products, folder, log)
}

// checkOrigins refuses origins and headers that no browser sends.
func (s *serveCmd) checkOrigins() error {
	for _, origin := range s.Origins {
		// A * may be any part of the host or the port.
		u, err := url.Parse(strings.ReplaceAll(strings.Replace(origin, "://*.", "://x.", 1), ":*", ":1"))
		if origin != "*" && (err != nil || u.Hostname() == "" || u.Scheme+"://"+u.Host != strings.ToLower(u.String()) || strings.Count(origin, "*") > 1 ||
			u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80") {
			return fmt.Errorf("--origins has %q, which no browser sends: write https://shop.example, without a path or the default port, https://*.shop.example for all subdomains, http://localhost:* for all ports, or * for all sites", origin)
		}
	}
	for _, name := range s.AllowHeaders {
		if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Errorf("--allow-headers has %q, which is not a header's name such as X-Shop-Session", name)
		}
	}
	if len(s.AllowHeaders) > 0 && len(s.Origins) == 0 {
		return errors.New("--allow-headers has no effect without --origins: name the sites whose pages may send these headers")
	}
	return nil
}

// checkCaches returns an error that names the flag of an invalid cache setting.
func (s *serveCmd) checkCaches() error {
	switch {
	case s.CacheMaxAge < 0 || s.CacheMaxAge%time.Second != 0:
		return fmt.Errorf("--cache-max-age is %s: give whole seconds, or 0 for no caching", s.CacheMaxAge)
	case s.PageCache < 0:
		return fmt.Errorf("--page-cache is %s: give a time such as 1s, or 0 to disable the cache", s.PageCache)
	case s.PageCache > 0 && s.PageCacheSize == 0:
		return errors.New("--page-cache needs memory, but --page-cache-size is 0: set it to a size such as 64MB")
	}
	return nil
}
