package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func main() {
	var flags struct {
		Addr  string `help:"Address to listen on." default:"127.0.0.1:8081" env:"ADDR"`
		Table string `help:"Name of the table. The AWS SDK's usual settings say where it is." default:"comments" env:"TABLE"`
	}
	kong.Parse(&flags, kong.Name("literal"), kong.Description("Serve comments the way part 3 of the series does, to measure against."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, flags.Addr, flags.Table)
	if err != nil {
		fmt.Fprintln(os.Stderr, "literal:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, addr, name string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("read the AWS configuration: %w", err)
	}
	client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		// Like the service: the default of ten idle connections would make this server slow.
		o.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.MaxIdleConns = 512
			t.MaxIdleConnsPerHost = 512
		})
	})
	server := &http.Server{Addr: addr, Handler: handler(&table{client, name}), ReadHeaderTimeout: 5 * time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
