package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"product-comments/internal/server/httpapi"
)

// drainFlags configure the shutdown of a server.
type drainFlags struct {
	DrainDelay *time.Duration `help:"Time between a signal and the end of listening, during which /readyz answers 503 so that load balancers notice. The default is ${drain_delay}, and 0 on a loopback address." env:"DRAIN_DELAY" placeholder:"TIME"`
}

// defaultDrainDelay is enough for a load balancer that checks every two seconds and needs two
// failures.
const defaultDrainDelay = 5 * time.Second

// check returns an error that names an invalid flag.
func (f *drainFlags) check() error {
	if f.DrainDelay != nil && *f.DrainDelay < 0 {
		return fmt.Errorf("--drain-delay is %s: give a time such as 5s, or 0 for no delay", *f.DrainDelay)
	}
	return nil
}

// delay resolves the default of --drain-delay.
func (f *drainFlags) delay(addr net.Addr) time.Duration {
	if loopback(addr) {
		return valueOr(f.DrainDelay, 0)
	}
	return valueOr(f.DrainDelay, defaultDrainDelay)
}

// shutdownTime limits requests under way after a signal.
const shutdownTime = 15 * time.Second

// serving is the servers of a process and their shutdown.
type serving struct {
	log   *slog.Logger
	drain func()                  // makes /readyz fail
	delay time.Duration           // until load balancers notice
	all   []listening             // shut down in this order, the operators' server last
	along []func(context.Context) // run while the servers run
}

// listening is a server with its listener.
type listening struct {
	net.Listener
	*http.Server
}

// add adds a server, unless its listener is nil.
func (s *serving) add(listener net.Listener, server *http.Server) {
	if listener != nil {
		s.all = append(s.all, listening{listener, server})
	}
}

// serve serves until the context ends. Then /readyz fails, the servers continue for the delay, and
// requests under way are completed. If one server fails, all stop at once.
func (s *serving) serve(ctx context.Context) error {
	backgroundCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, f := range s.along {
		running.Go(func() { f(backgroundCtx) })
	}
	ended := make(chan error, len(s.all))
	for _, l := range s.all {
		go func() { ended <- l.Serve(l.Listener) }()
	}
	select {
	case err := <-ended:
		for _, l := range s.all {
			err = errors.Join(err, l.Server.Close())
		}
		for range s.all[1:] {
			<-ended
		}
		return err
	case <-ctx.Done():
	}
	s.drain()
	if s.delay > 0 {
		s.log.Info("stopping: /readyz fails from now on; serving until load balancers notice", "delay", s.delay)
		time.Sleep(s.delay) // a second signal ends the process
	}
	s.log.Info("stopping: requests under way are completed, new ones are refused")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	var err error
	for _, l := range s.all {
		if late := l.Shutdown(ctx); late != nil {
			err = errors.Join(err, fmt.Errorf("some requests did not finish in %s: %w", shutdownTime, late),
				l.Server.Close())
		}
	}
	for range s.all {
		if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
	}
	return err
}

// maxHeaderBytes is the maximum of bytes of a request's URL and headers together.
const maxHeaderBytes = 32 << 10

// Times that clients have for sending headers, and for reading the answer in addition to the time
// limit of the request.
const (
	headerTime = 5 * time.Second
	answerTime = 10 * time.Second
)

// idleTime limits idle connections. Load balancers close theirs after a minute, and must do so first:
// a request on a connection that this server closes at the same time fails.
const idleTime = 65 * time.Second

// newServer returns a server for requests with a time limit, in which a client must also send the
// request. A client has a few additional seconds to read the answer, then the connection is closed.
func newServer(handler http.Handler, requestTimeout time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      requestTimeout + answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// adminFlags configure the operators' address.
type adminFlags struct {
	AdminAddr *string `help:"Address for operators: /metrics, /readyz?verbose, profiles under /debug/pprof/; empty for none. The default is ${admin_addr}, or none if that is in use." env:"ADMIN_ADDR" placeholder:"ADDRESS"`
}

// Default addresses for operators of a server and of a projector. They differ because one machine
// often runs both.
const (
	serveAdminAddr   = "127.0.0.1:8082"
	projectAdminAddr = "127.0.0.1:8083"
)

// listen opens the operators' listener; nil if the address is empty. A default address that is in
// use, such as by a second server on a laptop, is not an error.
func (f *adminFlags) listen(defaultAddr string, log *slog.Logger) (net.Listener, error) {
	addr := valueOr(f.AdminAddr, defaultAddr)
	if addr == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		log.Info("listening for operators", "url", "http://"+listener.Addr().String()+"/readyz?verbose",
			"metrics", "/metrics", "profiles", "/debug/pprof/")
		if !loopback(listener.Addr()) {
			log.Warn("the operators' address is reachable from other hosts: it shows metrics and profiles of this process", "addr", listener.Addr().String())
		}
		return listener, nil
	case f.AdminAddr == nil:
		log.Warn("the operators' default address is in use, so there is none: choose another with --admin-addr",
			"addr", addr, "error", err)
		return nil, nil
	default:
		return nil, fmt.Errorf("listen for operators: %w; --admin-addr chooses another address, empty for none", err)
	}
}

// profileTime is the maximum duration of a profile.
const profileTime = 2 * time.Minute

// addOperators adds the operators' server, unless listener is nil. Its requests may take longer
// than on the public server, because a client chooses the duration of a profile. It accepts the
// public server's host names, and any address.
func (s *serving) addOperators(listener net.Listener, names []string, handler http.Handler) {
	if listener == nil {
		return
	}
	hosts := hostsAt(listener.Addr(), names)
	if !hosts.Any() {
		hosts.Loopback, hosts.Addresses = true, true
	}
	server := newServer(httpapi.OnlyHosts(hosts, handler), operationsTimeout, s.log)
	server.WriteTimeout = profileTime
	s.add(listener, server)
}

// loopback reports whether an address can be reached from this machine only.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
