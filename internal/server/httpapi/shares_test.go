package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// frozen returns a budget on a clock that does not move.
func frozen(perMinute float64) *admission.Budget {
	return admission.NewBudget(perMinute, func() time.Time { return time.Unix(0, 0) })
}

// smallBuffers is a listener whose connections buffer little, as those over a real network do:
// those over the loopback interface take a whole answer.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = tcp.SetWriteBuffer(4 << 10)
	}
	return c, err
}

// Clients that ask for large answers and do not read them hold the bytes of these answers, and not
// what they might have had. So one address cannot take the memory that visitors need, and is
// charged for what it holds.
func TestClientsThatReadSlowlyLeaveMemory(t *testing.T) {
	const clients, capacity = 12, 40 << 20
	memory := admission.NewPool(capacity, capacity/2, 256, 20*time.Second)
	budget := frozen(1e6)
	s := serve(t, func(c *httpapi.Config) { c.Limits.Answers, c.Limits.CostBudget, c.Limits.Local = memory, budget, true })
	comments := apitest.Comments(100)
	for i := range comments {
		comments[i].Text = strings.Repeat("word ", 500)
	}
	s.Fill(t, comments...)
	server := httptest.NewUnstartedServer(s.Config.Handler)
	server.Listener = smallBuffers{server.Listener}
	server.Start()
	defer server.Close()
	const page = `{product(id:"42"){comments(first:100){nodes{text}}}}`
	connect := func(from string, buffer int) net.Conn {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		c := testkit.Value(d.DialContext(t.Context(), "tcp", server.Listener.Addr().String()))(t)
		t.Cleanup(func() { c.Close() })
		testkit.Must(t, c.(*net.TCPConn).SetReadBuffer(buffer))
		testkit.Value(fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(post("", page).body), post("", page).body))(t)
		return c
	}
	var slow []net.Conn
	for range clients {
		c := connect("127.0.0.7", 4<<10)
		begin := make([]byte, len("HTTP/1.1 200"))
		testkit.Value(io.ReadFull(c, begin))(t)
		testkit.Need(t, string(begin) == "HTTP/1.1 200", "a slow client was answered %s", begin)
		slow = append(slow, c)
	}
	held := memory.Used().Taken
	testkit.Check(t, held >= clients*200_000 && held <= clients*400_000, "%d answers of 0.25 MB hold %d bytes", clients, held)
	for range 3 {
		c := connect("127.0.0.8", 1<<20)
		response := testkit.Value(http.ReadResponse(bufio.NewReader(c), nil))(t)
		n := testkit.Value(io.Copy(io.Discard, response.Body))(t)
		testkit.Check(t, response.StatusCode == 200 && n > 200_000, "a visitor: %d, %d bytes", response.StatusCode, n)
	}
	before := budget.Peek("127.0.0.7", 0).Remaining
	time.Sleep(200 * time.Millisecond)
	for _, c := range slow {
		testkit.Must(t, c.Close())
	}
	server.Close() // waits for its requests
	testkit.Equal(t, memory.Used().Taken, 0, "when the clients are gone answers hold")
	paid := before - budget.Peek("127.0.0.7", 0).Remaining
	testkit.Check(t, paid >= clients*4, "the slow clients paid %v units", paid) // 0.25 MB for 0.2 s is 5
}

// A client runs a share of the requests that may run at once. Its others wait, and are refused
// with a reason of their own; other clients are served at once, and one without a budget may have
// all.
func TestOneClientRunsItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, letGo := waiting()
		slots := admission.NewPool(8, 2, 8, 100*time.Millisecond)
		budget := admission.NewBudget(1e6, nil)
		h := handler(t, table, func(c *httpapi.Config) { c.Limits.Slots, c.Limits.CostBudget = slots, budget })
		done := make(chan *httptest.ResponseRecorder, 100)
		ask := func(from string, n int) {
			for i := range n {
				go func() {
					done <- post(from, fmt.Sprintf(`{product(id:"%d"){comments(first:5){nodes{id}}}}`, i)).to(h)
				}()
			}
			synctest.Wait()
		}
		ask(visitor, 20)
		testkit.Equal(t, slots.Used().Taken, 2, "one client has")
		ask("192.0.2.2", 1)
		ask("127.0.0.1", 5)
		testkit.Equal(t, slots.Used().Taken, 8, "with a visitor and this machine there are")
		for range 18 {
			w := <-done
			testkit.Check(t, w.Code == 429 && w.Header().Get("Retry-After") != "" && strings.Contains(w.Body.String(), `"reason":"concurrency"`) && strings.Contains(w.Body.String(), "You have 2 requests under way"), "%d %s", w.Code, w.Body)
		}
		letGo()
		for range 8 {
			w := <-done
			testkit.Check(t, w.Code == 200, "%d %s", w.Code, w.Body)
		}
	})
}

// dear is a table whose queries consume 100 units. After the first ones they wait.
type dear struct {
	*empty
	free atomic.Int64 // that do not wait
}

func (d *dear) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	units := 100.0
	if d.free.Add(-1) < 0 {
		if _, err := d.empty.Query(ctx, in, o...); err != nil {
			return nil, err
		}
	}
	return &dynamodb.QueryOutput{ConsumedCapacity: &types.ConsumedCapacity{CapacityUnits: &units}}, nil
}

// The reads of a request are charged while it runs, so that requests that come at the same time
// find the budgets spent, also when they have waited for a slot.
func TestReadsAreChargedWhileTheyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			reason          string
			cost, readUnits *admission.Budget
		}{{"rate_limit", frozen(2000), frozen(1e6)}, {"read_units", frozen(1e6), frozen(200)}} {
			table, letGo := waiting()
			slots := admission.NewPool(1, 1, 8, time.Minute)
			of := &dear{empty: table}
			of.free.Store(2)
			h := handler(t, of, func(config *httpapi.Config) {
				config.Limits.CostBudget, config.Limits.ReadUnitBudget = c.cost, c.readUnits
				config.Limits.Slots = slots
			})
			taken := testkit.Value(slots.Enter(t.Context(), "another", 1, false))(t)
			first, second := make(chan *httptest.ResponseRecorder), make(chan *httptest.ResponseRecorder)
			go func() {
				first <- post(visitor, `{a:product(id:"1"){comments{nodes{id}}} b:product(id:"2"){comments{nodes{id}}} c:product(id:"3"){comments{nodes{id}}}}`).to(h)
			}()
			synctest.Wait()
			go func() { second <- post(visitor, page).to(h) }()
			synctest.Wait()
			taken.Leave()
			synctest.Wait()
			cost, units := c.cost.Peek(visitor, 0), c.readUnits.Peek(visitor, 0)
			testkit.Check(t, cost.Limit-cost.Remaining >= 2000 && units.Limit-units.Remaining == 200, "%s: while it runs %v and %v are left", c.reason, cost.Remaining, units.Remaining)
			w := post(visitor, page).to(h)
			testkit.Check(t, w.Code == 429 && strings.Contains(w.Body.String(), c.reason), "%s: another is answered %d %s", c.reason, w.Code, w.Body)
			letGo()
			var a apitest.Answer
			testkit.Must(t, json.Unmarshal((<-first).Body.Bytes(), &a))
			testkit.Check(t, a.Extensions.Cost.ReadUnits == 300, "%s: it read %v units", c.reason, a.Extensions.Cost.ReadUnits)
			w = <-second
			testkit.Check(t, w.Code == 429 && strings.Contains(w.Body.String(), c.reason), "%s: the one that waited for a slot is answered %d %s", c.reason, w.Code, w.Body)
			paid := c.readUnits.Peek(visitor, 0)
			testkit.Check(t, paid.Limit-paid.Remaining == 300, "%s: %v units are left in the end", c.reason, paid.Remaining)
		}
	})
}

var _ store.API = (*dear)(nil)
