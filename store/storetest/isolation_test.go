package storetest

import (
	"net"
	"strings"
	"testing"
)

func TestIsolated(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
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
