package command

import (
	"context"
	"fmt"
	"net"
	"time"

	"product-comments/internal/httpapi"
)

type project struct {
	storeFlags
	projectorFlags
	Addr string `help:"Address for /healthz, /readyz?verbose and /metrics; empty for none." default:"127.0.0.1:8081" env:"ADDR"`
}

// operationsTimeout is the time limit of a request for health or metrics.
const operationsTimeout = 10 * time.Second

// Run projects until the context ends.
func (p *project) Run(ctx context.Context) (err error) {
	log := p.logger()
	opened, err := p.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	var listener net.Listener
	if p.Addr != "" {
		if listener, err = net.Listen("tcp", p.Addr); err != nil {
			return fmt.Errorf("listen: %w; --addr chooses another address", err)
		}
	}
	projector := p.start(ctx, opened, log)
	defer projector.stop()
	log.Info("projecting", "engine", p.engineName(), "table", p.Table)
	if listener == nil {
		<-ctx.Done()
		return nil
	}
	log.Info("status", "url", "http://"+listener.Addr().String()+"/readyz?verbose")
	return serveUntil(ctx, listener, httpapi.NewOperations(opened.Store, projector.Status, log), operationsTimeout, log)
}
