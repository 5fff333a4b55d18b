package storetest

import (
	"net"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

func TestIsolated(t *testing.T) {
	addresses := testkit.Value(net.InterfaceAddrs())(t)
	outside := ""
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLoopback() {
			outside = address.String()
		}
	}
	switch err := isolated(); {
	case outside == "" && err != nil:
		t.Errorf("nothing but loopback here, and yet: %v", err)
	case outside != "" && (err == nil || !strings.Contains(err.Error(), "make test-dynamodb-local")):
		t.Errorf("there is %s, and yet: %v", outside, err)
	}
}
