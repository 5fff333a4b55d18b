package child

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// FreePort returns a port between 20000 and 29999 that was free at 127.0.0.1 a
// moment ago. It is not reserved: be ready to try another. Systems take the ports
// of outgoing connections from above: so none takes it while a server restarts,
// and no connection to a port where nothing listens can connect to itself.
func FreePort() (int, error) {
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if Free(net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) {
			return port, nil
		}
	}
	return 0, errors.New("found no free port between 20000 and 29999")
}

// Free reports whether a server could listen on a TCP address now.
func Free(address string) bool {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
