package requests_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/orders/requests"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// meter counts the read units of a store.
type meter struct {
	mu    sync.Mutex
	units float64
}

func (m *meter) Called(_ context.Context, c table.Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += c.Read
}
func (*meter) Begin(ctx context.Context, _ store.Step) context.Context { return ctx }
func (*meter) Planned(context.Context, plan.Plan)                      {}
func (*meter) Read(context.Context, store.PageRead)                    {}

// A look reads what is due, however many requests wait for later.
func TestALookReadsWhatIsDue(t *testing.T) {
	waiting := 3_000
	if testkit.All(t) {
		waiting = 100_000
	}
	run(t, policy, func(t *testing.T, x *shop) {
		m := &meter{}
		x.Store = store.New(x.db.Client("metered"), "comments", store.Options{Keys: keys(t, 1), PlaceAge: -1, Observer: m})
		x.sender = x.RequestSender(policy, x.send, nil)
		look := func() float64 {
			m.units = 0
			testkit.Must(t, x.sender.Drain(t.Context()))
			return m.units
		}
		few := look()
		client := x.db.Client("shop")
		for n := range waiting {
			w := testkit.Value(x.Requests().New(fmt.Sprint("waits", n), requests.Contact{Email: "a@example.com"}, false, false))(t)
			_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("comments"), Item: w.Put})
			testkit.Must(t, err)
		}
		many := look()
		testkit.Check(t, many <= 12*16+few, "%v units with %d requests that wait, %v without", many, waiting, few)
		t.Logf("%v units with %d requests that wait, %v without", many, waiting, few)
	})
}

// Thousands of requests that are due at once leave at the rate, each once, at good hours, by two senders.
func TestManyAreDueAtOnce(t *testing.T) {
	due := 500
	if testkit.All(t) {
		due = 10_000
	}
	run(t, policy, func(t *testing.T, x *shop) {
		for n := range due {
			x.record(order(fmt.Sprint(n), "a"))
		}
		time.Sleep(14*day + 9*time.Hour)
		began, turn, ids := time.Now(), make(chan bool, 1), map[string]int{}
		send := func(_ context.Context, a *requests.Asking) error {
			turn <- true
			time.Sleep(time.Second / 5)
			ids[a.ID]++
			if h := time.Now().UTC().Hour(); h < 9 || h >= 20 {
				t.Errorf("sent at %s", time.Now())
			}
			<-turn
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool, 2)
		for n := range 2 {
			s := x.open(fmt.Sprint("sender", n), keys(t, 1)).RequestSender(policy, send, nil)
			go func() { s.Run(ctx); done <- true }()
		}
		lasts := time.Duration(due) * time.Second / 5
		time.Sleep(lasts + lasts/20 + 2*time.Minute)
		turn <- true
		testkit.Check(t, len(ids) == due, "after %s, %d messages of %d have left", time.Since(began), len(ids), due)
		for id, n := range ids {
			testkit.Check(t, n == 1, "%s left %d times", id, n)
		}
		<-turn
		cancel()
		<-done
		<-done
	})
}
