// Package example makes a message in each way that the extractor knows.
package example

type flags struct {
	Listen string `help:"The address to listen on."`
}

func refuse(reason, format string, args ...any) error { return nil }

func figure(name, help string) {}

func all(log *slog.Logger) {
	errs.Invalid("rating", "it is %d, 1 to 5 is "+"wanted", 9)
	errs.Invalid(name, "%q: it has %d bytes", name, 9)
	errs.Errorf(errs.Conflict, "the comment has version %d, not %d", 2, 1)
	errors.New("no table: create one")
	fmt.Errorf("another %w", err)
	refuse("too_long", "the token has %d bytes", 9)
	log.Error("a page failed", "err", err)
	log.WarnContext(ctx, "DynamoDB throttles requests")
	log.Error(9)
	figure("pages_total", "Pages that were read.")
	_ = prometheus.Opts{Help: "Cached pages."}
	kong.Description("Comments on products.")
	fmt.Sprintf("%s is given in place of %s", a, b)
	update("SET a = :b IF attribute_exists(c)", "short")
}
