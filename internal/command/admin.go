package command

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"product-comments/internal/httpapi"
)

// adminFlags say where operators reach the process.
type adminFlags struct {
	AdminAddr *string `help:"Address for operators: /metrics, /readyz?verbose, profiles under /debug/pprof/. Empty for none. The default is ${admin_addr}, or none if that is taken." env:"ADMIN_ADDR" placeholder:"ADDRESS"`
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
		log.Info("operators", "url", "http://"+listener.Addr().String()+"/readyz?verbose", "metrics", "/metrics", "profiles", "/debug/pprof/")
		if !loopback(listener.Addr()) {
			log.Warn("whoever reaches the operators' address sees figures and profiles of this process", "addr", listener.Addr().String())
		}
		return listener, nil
	case f.AdminAddr == nil:
		log.Warn("operators have no address: the default one is taken; --admin-addr chooses another", "addr", addr, "error", err)
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
