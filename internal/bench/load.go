package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// round is one turn of a server.
type round struct {
	rate      float64 // pages a second
	latencies []time.Duration
}

// errOther is an answer that differs from the first one: over the same data, a
// request is always answered the same.
var errOther = errors.New("the answer is not what it was")

// load lets clients ask for their pages again and again for a while, each
// starting with another one. With fewer lists of pages than clients, some
// clients have the same. Every answer is read and compared. The clients write
// ready bytes to connections of their own: an http.Client would take as much of
// the processor as the servers.
func load(ctx context.Context, addr string, lists [][]exchange, clients int, length time.Duration) (round, error) {
	connections := make([]*connection, clients)
	for i := range connections {
		pages := lists[i%len(lists)]
		c, err := dial(ctx, addr)
		if err != nil {
			return round{}, err
		}
		defer c.Close()
		if err := c.ask(pages[i%len(pages)]); err != nil { // the first one is not counted
			return round{}, err
		}
		connections[i] = c
	}
	each := make([][]time.Duration, clients)
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	for i, c := range connections {
		pages := lists[i%len(lists)]
		group.Go(func() error {
			for n, now := i, time.Now(); now.Sub(start) < length; {
				n++
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := c.ask(pages[n%len(pages)]); err != nil {
					return err
				}
				then := now
				now = time.Now()
				each[i] = append(each[i], now.Sub(then))
			}
			return nil
		})
	}
	err := group.Wait()
	took := time.Since(start)
	var r round
	for _, latencies := range each {
		r.latencies = append(r.latencies, latencies...)
	}
	r.rate = float64(len(r.latencies)) / took.Seconds()
	return r, err
}

// connection is a client.
type connection struct {
	net.Conn
	from *bufio.Reader
	body bytes.Buffer
}

// patience bounds one request.
const patience = 10 * time.Second

func dial(ctx context.Context, addr string) (*connection, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, from: bufio.NewReaderSize(conn, 32<<10)}, nil
}

func (c *connection) ask(e exchange) error {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := c.Write(e.request); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.from, nil)
	if err != nil {
		return err
	}
	c.body.Reset()
	_, err = c.body.ReadFrom(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.300s", response.Status, c.body.Bytes())
	}
	if !bytes.Equal(dataOf(c.body.Bytes()), e.data) {
		return fmt.Errorf("%w: %.300s", errOther, c.body.Bytes())
	}
	return nil
}
