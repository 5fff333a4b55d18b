package storetest

import (
	"fmt"
	"net"
)

// isolated returns an error that says what to do when a server that listens on
// every interface could be reached from elsewhere.
func isolated() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list the network interfaces: %w", err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			return fmt.Errorf("list the addresses of %s: %w", i.Name, err)
		}
		if len(addresses) > 0 {
			return fmt.Errorf("DynamoDB Local would listen on every interface, and %s has the address %s: "+
				"run `make test-dynamodb-local`, which runs the tests in a network of their own", i.Name, addresses[0])
		}
	}
	return nil
}
