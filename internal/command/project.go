package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"product-comments/internal/httpapi"
	"product-comments/internal/telemetry"
	"product-comments/store"
)

type project struct {
	storeFlags
	projectorFlags
	packFlags
	adminFlags `embed:"" set:"admin_addr=127.0.0.1:8083"`
	drainFlags `embed:"" set:"drain_delay=5s"`
	Addr       string `help:"Address for /healthz and /readyz; empty for none." default:"127.0.0.1:8081" env:"ADDR"`
}

// operationsTimeout is the time limit of a request for health or metrics.
const operationsTimeout = 10 * time.Second

// Run projects until the context ends.
func (p *project) Run(ctx context.Context) (err error) {
	log := p.logger()
	if err := p.drainFlags.check(); err != nil {
		return err
	}
	watched := telemetry.New(telemetry.Options{Log: log})
	opened, err := p.openWith(ctx, log, p.packFlags.apply(store.Options{Observer: watched}, log))
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	watched.Store(opened.Store)
	var listener net.Listener
	if p.Addr != "" {
		if listener, err = net.Listen("tcp", p.Addr); err != nil {
			return fmt.Errorf("listen: %w; --addr chooses another address", err)
		}
	}
	operators, err := p.adminFlags.listen(projectAdminAddr, log)
	if err != nil {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
		return err
	}
	projector := p.start(ctx, opened, log)
	defer projector.stop()
	log.Info("projecting", "engine", p.engineName(), "table", p.Table)
	health := httpapi.NewHealth(httpapi.Config{
		Ready: opened.Ready, Projector: projector.Status, Filling: filling(opened), Log: log, Telemetry: watched,
	})
	servers := serving{log: log, drain: health.Drain}
	if listener != nil {
		servers.delay = p.delay(listener.Addr())
	}
	servers.add(listener, newServer(health.Public(), operationsTimeout, log))
	servers.addOperators(operators, nil, health.Operators())
	return servers.until(ctx)
}
