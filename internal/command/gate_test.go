package command

import (
	"net"
	"strings"
	"testing"
	"time"

	"product-comments/internal/cache"
	"product-comments/internal/gate"
	"product-comments/internal/testkit"
)

// gateDefaults are what the command line gives.
func gateDefaults() gateFlags {
	return gateFlags{QueueTime: time.Second, MaxConnections: 1, MaxConnectionsPerClient: 1, MaxURL: 1000, MaxHeaders: 2000}
}

// Who asks on this machine is limited only by a limit that was given; a limit of 0 is
// none.
func TestWhoIsLimited(t *testing.T) {
	none, some := 0, 6000
	for _, c := range []struct {
		flag           *int
		limited, local bool
	}{{nil, true, false}, {&some, true, true}, {&none, false, true}} {
		f := gateDefaults()
		f.RateLimit = c.flag
		g, err := f.gate(&net.TCPAddr{}, gate.Divide(1<<28, 0), 5000)
		if err != nil || g.Slots == nil || g.Memory == nil || g.Bodies == nil || (g.Cost.Limiter != nil) != c.limited || g.Cost.Local != c.local {
			t.Errorf("%+v: %+v, %v", c, g.Cost, err)
		}
	}
}

// A client that may spend less in a minute than one request may cost would soon owe several.
func TestALimitBelowOneRequest(t *testing.T) {
	little := 10
	f := gateDefaults()
	f.RateLimit = &little
	_, err := f.gate(&net.TCPAddr{}, gate.Memory{}, 5000)
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "--rate-limit is 10: it must be at least --max-cost"), "%v", err)
}

func TestHostsOfAnAddress(t *testing.T) {
	here, there := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4zero}
	f := gateDefaults()
	f.Hosts = []string{"Shop.Example"}
	g, err := f.gate(here, gate.Memory{}, 5000)
	testkit.Check(t, err == nil && g.Hosts.Loopback && g.Hosts.Names[0] == "shop.example", "%+v, %v", g.Hosts, err)
	h := hostsAt(there, nil)
	testkit.Check(t, h.Any(), "%+v", h)
}

func TestMemoryFlag(t *testing.T) {
	f := gateFlags{Memory: cache.Size(1 << 30)}
	m, err := f.memory(512 << 20)
	testkit.Check(t, err == nil && m.Total == 1<<30 && m.Answers == 64<<20, "%+v, %v", m, err)
	_, err = f.memory(600 << 20)
	testkit.Check(t, err != nil, "caches may take more than half of the memory")
	m, err = (&gateFlags{}).memory(0)
	testkit.Check(t, err == nil && m.Total >= gate.LeastMemory, "%+v, %v", m, err)
}
