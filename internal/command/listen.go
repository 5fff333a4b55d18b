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

	"product-comments/internal/httpapi"
)

// drainFlags say how a server ends.
type drainFlags struct {
	DrainDelay *time.Duration `help:"Time between a signal and the end of listening, during which /readyz answers 503 so that load balancers notice. The default is ${drain_delay}, and 0 on a loopback address." env:"DRAIN_DELAY" placeholder:"TIME"`
}

// defaultDrainDelay is enough for a balancer that asks every two seconds and
// believes the second answer.
const defaultDrainDelay = 5 * time.Second

// check names the flag that cannot be.
func (f *drainFlags) check() error {
	if f.DrainDelay != nil && *f.DrainDelay < 0 {
		return fmt.Errorf("--drain-delay is %s: give a time such as 5s, or 0 for no delay", *f.DrainDelay)
	}
	return nil
}

// delay settles the default of --drain-delay.
func (f *drainFlags) delay(addr net.Addr) time.Duration {
	switch {
	case f.DrainDelay != nil:
		return *f.DrainDelay
	case loopback(addr):
		return 0
	default:
		return defaultDrainDelay
	}
}

// shutdownTime is how long requests under way may take after a signal.
const shutdownTime = 15 * time.Second

// serving is the servers of a process, and how they end.
type serving struct {
	log   *slog.Logger
	drain func()        // makes the process say that it is not ready
	delay time.Duration // until balancers have noticed
	all   []listening   // ended in this order, the one for operators last
	along []func(context.Context)
}

// listening is a server and where it listens.
type listening struct {
	net.Listener
	*http.Server
}

// add adds a server, unless it has no address.
func (s *serving) add(listener net.Listener, server *http.Server) {
	if listener != nil {
		s.all = append(s.all, listening{listener, server})
	}
}

// run runs something in parallel with the servers, until they have ended.
func (s *serving) run(f func(context.Context)) { s.along = append(s.along, f) }

// until serves until the context ends: then the process says that it is not ready,
// continues for the delay, and waits for requests under way. If one server fails, all
// end at once.
func (s *serving) until(ctx context.Context) error {
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for _, f := range s.along {
		running.Go(func() { f(beside) })
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
			err = errors.Join(err, fmt.Errorf("some requests did not finish in %s: %w", shutdownTime, late), l.Server.Close())
		}
	}
	for range s.all {
		if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
	}
	return err
}

// largestHeaders is the most bytes of a request's headers that any server reads. What
// is less, and still too much, is called with so: see httpapi.Gate.
const largestHeaders = 64 << 10

// allowances are how long clients may take over what is theirs to do, besides the time
// that the request takes.
type allowances struct{ headers, body, answer time.Duration }

var usual = allowances{headers: 5 * time.Second, body: httpapi.SendTime, answer: httpapi.ReadTime}

// newServer returns a server that answers a request in requestTimeout. A client may
// take a few seconds more to send it and to read the answer; then it is cut off.
func newServer(handler http.Handler, requestTimeout time.Duration, log *slog.Logger) *http.Server {
	return newServerFor(usual, handler, requestTimeout, log)
}

func newServerFor(a allowances, handler http.Handler, requestTimeout time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: a.headers,
		ReadTimeout:       requestTimeout + a.body,
		WriteTimeout:      requestTimeout + a.answer,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    largestHeaders,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// adminFlags say where operators reach the process.
type adminFlags struct {
	AdminAddr *string `help:"Address for operators: /metrics, /readyz?verbose, profiles under /debug/pprof/; empty for none. The default is ${admin_addr}, or none if that is in use." env:"ADMIN_ADDR" placeholder:"ADDRESS"`
}

// Where operators reach a server and a projector that were not told otherwise. They
// differ because one machine often runs both.
const (
	serveAdminAddr   = "127.0.0.1:8082"
	projectAdminAddr = "127.0.0.1:8083"
)

// listen listens for operators; it returns nil if they have no address. A default
// address that is taken, as by a second server on a laptop, stops nothing.
func (f *adminFlags) listen(defaultAddr string, log *slog.Logger) (net.Listener, error) {
	addr := defaultAddr
	if f.AdminAddr != nil {
		addr = *f.AdminAddr
	}
	if addr == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		log.Info("listening for operators", "url", "http://"+listener.Addr().String()+"/readyz?verbose", "metrics", "/metrics", "profiles", "/debug/pprof/")
		if !loopback(listener.Addr()) {
			log.Warn("the operators' address is reachable from other hosts: it shows metrics and profiles of this process", "addr", listener.Addr().String())
		}
		return listener, nil
	case f.AdminAddr == nil:
		log.Warn("the operators' default address is in use, so there is none: choose another with --admin-addr", "addr", addr, "error", err)
		return nil, nil
	default:
		return nil, fmt.Errorf("listen for operators: %w; --admin-addr chooses another address, empty for none", err)
	}
}

// profileTime is the longest that operators may wait for a profile.
const profileTime = 2 * time.Minute

// addOperators adds the server for operators, unless they have no address. Unlike the
// public one it may take long: a profile lasts as long as was asked for. It goes by names,
// as the public one does, and by any address.
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

// loopback reports whether only this machine reaches an address.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
