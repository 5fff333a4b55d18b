// Package command is the command line: each file has the commands and flags of one subject.
package command

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"

	"product-comments/graph/globalid"
	"product-comments/internal/server/httpapi"
	"product-comments/store/comment/moderation"
	"product-comments/store/outbox"
	"product-comments/store/settings"
)

type commands struct {
	Serve      serveCmd      `cmd:"" help:"Serve the GraphQL API and the playground."`
	Project    projectCmd    `cmd:"" help:"Keep the statistics up to date from the table's stream, in a separate process."`
	Lambda     lambdaCmd     `cmd:"" help:"Project as an AWS Lambda function, which runs the binary without arguments; with the handler serve, the function is the API instead."`
	Import     importCmd     `cmd:"" help:"Write comments from files of one JSON object a line (NDJSON) or of CSV, plain or gzip; with --orders, orders."`
	Export     exportCmd     `cmd:"" help:"Print a product's comments, one JSON object a line; with --orders, all orders."`
	Token      tokenCmd      `cmd:"" help:"Print a signed token for writes."`
	Explain    explainCmd    `cmd:"" help:"Show the plan of a page of comments: its operators, their estimated cost, and why other plans were rejected."`
	Stats      statsCmd      `cmd:"" help:"Verify, rebuild or configure the statistics."`
	Attributes attributesCmd `cmd:"" help:"Progress of conversions to changed attribute definitions."`
	Product    productCmd    `cmd:"" help:"Configure or repair a product."`
	Staff      staffCmd      `cmd:"" help:"Sign the staff in to the desk of a server on this machine."`
	Requests   requestsCmd   `cmd:"" help:"Manage the review requests of orders."`
	Photos     photosCmd     `cmd:"" help:"Verify the photos of comments."`
	Webhooks   webhooksCmd   `cmd:"" help:"Manage the webhook endpoints: the addresses of other systems that get events."`
	User       users         `cmd:"" help:"Print or erase everything that names a person."`
	Table      tableCmd      `cmd:"" help:"Inspect and upgrade a table."`
	Health     healthCmd     `cmd:"" help:"Check the health of a server on this machine."`
	Completion completionCmd `cmd:"" help:"Print the script with which a shell completes command lines."`

	Version kong.VersionFlag `help:"Show the version, with commit and date."`
	Man     manFlag          `help:"Print the manual page." hidden:""`
}

// Exit statuses other than success and a wrong command line.
const (
	exitFailed = 1
	exitFound  = 3 // the command finished and found something: refused lines or differences
)

// errRefused ends an import that refused some lines, which it has reported.
var errRefused = errors.New("some lines were refused")

// Main runs the command that the arguments name and returns the exit status. A first interrupt or
// termination signal shuts down gracefully, a second one kills the process.
func Main() int {
	var c commands
	parser := c.parser()
	kongplete.Complete(parser)
	k, err := parser.Parse(arguments())
	if err != nil {
		return refuseUsage(os.Stderr, parser.Model.Name, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills
	k.BindTo(ctx, (*context.Context)(nil))
	switch err := k.Run(); {
	case err == nil:
		return 0
	case errors.Is(err, errRefused), errors.Is(err, errDiffers), errors.Is(err, errPhotos):
		return exitFound
	default:
		k.Errorf("%s", sentence(err))
		return exitFailed
	}
}

// parser returns the parser of the command line.
func (c *commands) parser() *kong.Kong {
	return kong.Must(c,
		kong.Name("product-comments"),
		kong.Description("Product reviews over GraphQL, stored in DynamoDB."),
		kong.NamedMapper("product", ownID(globalid.Product)), kong.NamedMapper("person", ownID(globalid.User)), kong.NamedMapper("order", ownID(globalid.Order)),
		kong.Vars{"endpoint_env": endpointEnv, "cursor_keys_env": cursorKeysEnv, "auth_secret_env": authSecretEnv,
			"visitor_secret_env": visitorSecretEnv, "exit_found": strconv.Itoa(exitFound),
			"version": version(), "default_mean": formatMean(settings.DefaultScoring),
			"default_weight": strconv.Itoa(settings.DefaultScoring.Weight),
			"default_least":  strconv.Itoa(settings.DefaultScoring.Least),
			"max_weight":     strconv.Itoa(settings.MaxScoringWeight), "max_least": strconv.Itoa(settings.MaxScoringLeast),
			"rate_limit": strconv.Itoa(defaultRateLimit), "read_unit_budget": strconv.Itoa(defaultReadUnitBudget),
			"reports": strconv.Itoa(moderation.DefaultReports), "max_pace": strconv.Itoa(moderation.MaxPace),
			"slots_each": strconv.Itoa(slotsEach), "webhook_events": joinTypes(outbox.OfComments), "request_events": joinTypes(outbox.Types[len(outbox.OfComments):]),
			"smtp_password_env": smtpPasswordEnv,
			"staff_secret_env":  staffSecretEnv, "staff_owner": owner},
	)
}

// ownID returns the mapper of arguments that are own ids, one or several.
func ownID(kind globalid.Kind) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := ctx.Scan.PopValueInto("id", &text); err != nil {
			return err
		}
		own, err := globalid.ParseOwn("", text, kind)
		if target.Kind() == reflect.Slice {
			target.Set(reflect.Append(target, reflect.ValueOf(own)))
		} else {
			target.SetString(own)
		}
		return err
	}
}

// logger returns the logger that writes to standard error.
func (f *storeFlags) logger() *slog.Logger { return f.loggerTo(os.Stderr) }

func (f *storeFlags) loggerTo(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: f.LogLevel}
	var h slog.Handler = slog.NewTextHandler(w, options)
	if f.LogFormat == "json" {
		h = slog.NewJSONHandler(w, options)
	}
	return slog.New(httpapi.LogHandler(h))
}

// ignoreCanceled returns nil if a signal canceled the start of a server, else err.
func ignoreCanceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
