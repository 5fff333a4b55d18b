package child

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports for servers come from below the range that systems take the ports of
// outgoing connections from. So no connection takes the port while a server
// restarts, and no connection to a port where nobody listens can connect to
// itself.
const (
	firstPort = 20000
	lastPort  = 29999
)

// FreePort returns a port between 20000 and 29999 that was free on the
// loopback interface a moment ago. It is not reserved: be ready to try another.
func FreePort() (int, error) {
	for range 100 {
		if port := firstPort + rand.IntN(lastPort-firstPort+1); PortFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("found no free port between 20000 and 29999")
}

// PortFree says whether a server could listen on the port of the loopback
// interface now.
func PortFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
