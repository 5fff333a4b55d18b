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

// exchange is a request, as it goes over the wire, and the data of the answer.
type exchange struct{ request, data []byte }

func newExchange(r *http.Request, body []byte) (exchange, error) {
	var b bytes.Buffer
	err := r.Write(&b)
	return exchange{b.Bytes(), dataOf(body)}, err
}

// mostExtensions bounds the bytes that the extensions of an answer have.
const mostExtensions = 512

// dataOf cuts off the extensions of a GraphQL answer, which stand at its end:
// they say what the request cost, and that need not be the same twice. No text
// can be taken for them: in it the quotation marks would be escaped.
func dataOf(body []byte) []byte {
	tail := max(0, len(body)-mostExtensions)
	if i := bytes.LastIndex(body[tail:], []byte(`,"extensions":`)); i >= 0 {
		return body[:tail+i]
	}
	return body
}

// loaded is a side: a server whose clients ask for their lists of pages again
// and again for a while, each starting with another one. With fewer lists than
// clients, some clients have the same. Every answer is read and compared. The
// clients write ready bytes to connections of their own: an http.Client would
// take as much of the processor as the servers.
func loaded(s server, lists [][]exchange, clients int) *side {
	return &side{name: s.name, run: func(ctx context.Context) (t turn, err error) {
		connections := make([]*connection, clients)
		for i := range connections {
			if connections[i], err = dial(ctx, s.addr, lists[i%len(lists)], i); err != nil {
				return t, err
			}
			defer connections[i].Close()
		}
		each := make([][]time.Duration, clients)
		group, ctx := errgroup.WithContext(ctx)
		used, start := processorTime(s.PID()), time.Now()
		for i, c := range connections {
			group.Go(func() error {
				for now := time.Now(); now.Sub(start) < roundTime; {
					if err := errors.Join(ctx.Err(), c.ask()); err != nil {
						return err
					}
					then := now
					now = time.Now()
					each[i] = append(each[i], now.Sub(then))
				}
				return nil
			})
		}
		err = group.Wait()
		t.took, t.cpu = time.Since(start), processorTime(s.PID())-used
		for _, latencies := range each {
			t.latencies = append(t.latencies, latencies...)
		}
		t.done = len(t.latencies)
		return t, err
	}}
}

// connection is a client.
type connection struct {
	net.Conn
	from  *bufio.Reader
	body  bytes.Buffer
	pages []exchange
	next  int
}

// patience bounds one request.
const patience = 10 * time.Second

// dial connects, and asks for one page that is not counted.
func dial(ctx context.Context, addr string, pages []exchange, first int) (*connection, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, from: bufio.NewReaderSize(conn, 32<<10), pages: pages, next: first}
	if err := c.ask(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// ask asks for the next page. Over the same data, a request is always answered
// the same.
func (c *connection) ask() error {
	e := c.pages[c.next%len(c.pages)]
	c.next++
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
		return fmt.Errorf("the answer is not what it was: %.300s", c.body.Bytes())
	}
	return nil
}
