package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

// stalling is a body that stops after its text until the server's deadline for it ends.
type stalling struct {
	io.Reader
	deadline <-chan struct{}
}

func (s stalling) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF {
		<-s.deadline
		return 0, os.ErrDeadlineExceeded
	}
	return n, err
}

// Clients of one address that begin large bodies and stop in the middle take their share of the
// memory for bodies, and delay no page and no body of another address. They learn why.
func TestStalledBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := admission.Divide(256<<20, 64<<20)
		bodies := admission.NewPool(memory.Bodies, memory.Bodies/2, 256, 100*time.Millisecond)
		h := handler(t, &empty{}, func(c *httpapi.Config) {
			c.Limits.Bodies, c.Limits.CostBudget = bodies, admission.NewBudget(1e6, nil)
		})
		asking := post("", page).body
		asking += strings.Repeat(" ", 300_000-len(asking))
		send := func(from string, body io.Reader) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", body)
			r.RemoteAddr = from + ":1234"
			if r.ContentLength < 0 { // unknown to httptest
				r.ContentLength = int64(len(asking))
			}
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		const attackers = 90
		answers, deadline := make(chan *httptest.ResponseRecorder, attackers), make(chan struct{})
		for range attackers {
			go func() { answers <- send("192.0.2.66", stalling{strings.NewReader(asking), deadline}) }()
		}
		time.Sleep(time.Second)
		testkit.Check(t, bodies.Used().Taken <= memory.Bodies/2, "they hold %d bytes of %d", bodies.Used().Taken, memory.Bodies)
		start := time.Now()
		for _, body := range []string{post("", page).body, asking} {
			w := send(visitor, strings.NewReader(body))
			testkit.Check(t, w.Code == 200 && time.Since(start) == 0, "a neighbour's body of %d bytes: %d after %s", len(body), w.Code, time.Since(start))
		}
		close(deadline)
		told := map[string]int{}
		for range attackers {
			w := <-answers
			text := w.Body.String()
			for _, reason := range []string{"slow_body", "bodies"} {
				if strings.Contains(text, `"reason":"`+reason+`"`) {
					told[reason]++
				}
			}
			slow := strings.Contains(text, "slow_body")
			testkit.Check(t, (w.Code == 408) == slow && (w.Code == 429) != slow && (!slow || strings.Contains(text, "Send it again")) && w.Header().Get("Connection") == "close", "%d %v %s", w.Code, w.Header(), text)
		}
		testkit.Check(t, told["slow_body"] == int(memory.Bodies/2/300_000) && told["slow_body"]+told["bodies"] == attackers, "%v", told)
		testkit.Equal(t, bodies.Used().Taken, 0, "in the end they hold")
	})
}
