package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// speed is what was measured of a server that is asked for the same pages.
type speed struct {
	rates     []float64 // pages a second, one a round
	latencies []time.Duration
	cpu       time.Duration // of the server, for all pages
}

// contender is a server that takes turns with others at being asked.
type contender struct {
	server    server
	exchanges [][]exchange // of each client
	speed
}

// takeTurns measures contenders. A machine is faster in one second than in
// another, so they follow each other closely, in every other round the other
// way round.
func takeTurns(ctx context.Context, contenders []*contender, clients int, f flags) error {
	order := slices.Clone(contenders)
	for range f.Rounds {
		for _, c := range order {
			before := processorTime(c.server.PID())
			r, err := load(ctx, c.server.addr, c.exchanges, clients, f.Duration)
			if err != nil {
				return fmt.Errorf("%s: %w", c.server.name, err)
			}
			c.cpu += processorTime(c.server.PID()) - before
			c.rates = append(c.rates, r.rate)
			c.latencies = append(c.latencies, r.latencies...)
		}
		slices.Reverse(order)
	}
	return nil
}
