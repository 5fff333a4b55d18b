package command

import (
	"net"
	"strings"
	"testing"
	"time"

	"product-comments/internal/cache"
	"product-comments/internal/gate"
)

// gateDefaults are what the command line gives.
func gateDefaults() gateFlags {
	return gateFlags{QueueTime: time.Second, MaxConnections: 1, MaxConnectionsPerClient: 1, MaxURL: 1000, MaxHeaders: 2000}
}

func TestGateFlags(t *testing.T) {
	below, little := -1, 10
	for _, c := range []struct {
		change func(*gateFlags)
		want   string // part of the error; "" is success
	}{
		{func(*gateFlags) {}, ""},
		{func(f *gateFlags) { f.RateLimit = &below }, "--rate-limit is -1"},
		{func(f *gateFlags) { f.RateLimit = &little }, "--rate-limit is 10: it must be at least --max-cost"},
		{func(f *gateFlags) { f.ReadUnitBudget = &below }, "--read-unit-budget is -1"},
		{func(f *gateFlags) { f.TrustedProxies = []string{"nginx"} }, `--trusted-proxies: "nginx"`},
		{func(f *gateFlags) { f.Hosts = []string{"https://shop.example"} }, "--hosts"},
		{func(f *gateFlags) { f.Hosts = []string{"shop.example:80"} }, "--hosts"},
		{func(f *gateFlags) { f.Memory = 1000 }, "--memory is 1000"},
		{func(f *gateFlags) { f.QueueTime = 0 }, "--queue-time"},
		{func(f *gateFlags) { f.MaxConnections = 0 }, "--max-connections"},
	} {
		f := gateDefaults()
		c.change(&f)
		err := f.check()
		if err == nil {
			_, err = f.gate(&net.TCPAddr{}, gate.Memory{}, 5000)
		}
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
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

func TestHostsOfAnAddress(t *testing.T) {
	here, there := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4zero}
	f := gateDefaults()
	f.Hosts = []string{"Shop.Example"}
	if g, err := f.gate(here, gate.Memory{}, 5000); err != nil || !g.Hosts.Loopback || g.Hosts.Names[0] != "shop.example" {
		t.Errorf("%+v, %v", g.Hosts, err)
	}
	if h := hostsAt(there, nil); !h.Any() {
		t.Errorf("%+v", h)
	}
}

func TestMemoryFlag(t *testing.T) {
	f := gateFlags{Memory: cache.Size(1 << 30)}
	if m, err := f.memory(512 << 20); err != nil || m.Total != 1<<30 || m.Answers != 64<<20 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := f.memory(600 << 20); err == nil {
		t.Error("caches may take more than half of the memory")
	}
	if m, err := (&gateFlags{}).memory(0); err != nil || m.Total < gate.LeastMemory {
		t.Errorf("%+v, %v", m, err)
	}
}
