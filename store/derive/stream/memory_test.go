package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/index"
	"product-comments/store/derive/stream"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// longComments have texts of so many bytes, and attributes.
func longComments(n, bytes int) (out []store.Comment) {
	words := strings.Fields("the strap is soft but its zip runs smoothly since a year and it came early in another colour than the picture shows")
	for i := range n {
		var text strings.Builder
		for at := i; text.Len() < bytes; at += 1 + i%7 {
			fmt.Fprintf(&text, "%s %s ", words[at%len(words)], words[(at*at+i)%len(words)])
		}
		attributes, _ := json.Marshal(map[string]any{"size": "M", "fit": i % 5, "comfort": i % 3, "colour": "red", "country": "Spain", "recommended": true, "seat": i % 4, "staff": i % 5, "food": i % 2, "value": i % 6})
		out = append(out, store.Comment{
			ID: fmt.Sprintf("long-%05d", i), ProductID: fmt.Sprintf("p%d", i%200), Language: "en", Rating: 1 + i%5, CreatedAt: time.Unix(1e8+int64(i), 0).UTC(),
			Author: fmt.Sprintf("Ada %d", i), Title: "As described", Text: text.String()[:bytes], Attributes: attributes,
		})
	}
	return out
}

// heap returns the bytes of what is in use.
func heap() int64 {
	var m runtime.MemStats
	for range 3 { // what pools keep survives two
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The estimated memory of records covers their memory on the heap until they are projected. Not
// parallel: the test measures the heap.
func TestRecordsAreCountedAsWhatTheyTake(t *testing.T) {
	for name, bytes := range map[string]int{"plain texts": 5000, "compressed texts": 700} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			comments := longComments(1500, bytes)
			importAll(t, s, comments, func() {})
			p := s.Projector()
			before := heap()
			_, _, records, err := storetest.Records(t.Context(), storetest.Streams(t), p)
			testkit.Must(t, err)
			var changes []index.Change
			counted := int64(0)
			for _, r := range records {
				counted += stream.Weigh(r)
				testkit.Must(t, p.Divide(r, func(_ int, c index.Change) {
					changes = append(changes, c)
				}))
			}
			took := heap() - before
			t.Logf("%d records, %d changes: counted %d bytes each, they take %d", len(records), len(changes), counted/int64(len(records)), took/int64(len(records)))
			ratio := float64(counted) / float64(took)
			testkit.Check(t, ratio >= 0.9 && ratio <= 2, "%d bytes are counted for %d", counted, took)
			runtime.KeepAlive([]any{s, comments, records, changes})
		})
	}
}

// ahead knows what was read of a stream and did not take effect.
type ahead struct {
	stream.API

	mu          sync.Mutex
	bytes, most int64
	everything  int
}

func (a *ahead) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	out, err := a.API.GetRecords(ctx, in, o...)
	if err != nil {
		return out, err
	}
	records, err := stream.Records(out.Records)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range records {
		a.bytes += stream.Weigh(r)
	}
	a.everything += len(records)
	a.most = max(a.most, a.bytes)
	return out, err
}

// observe is for Options.Observe.
func (a *ahead) observe(r index.Record, _ time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= stream.Weigh(r)
}

// The memory of read and unprojected records is bounded, with a backlog of any length.
func TestReadsAheadBounded(t *testing.T) {
	for name, change := range map[string]func(*double.DB){"one shard": func(*double.DB) {}, "shards that close": (*double.DB).Split} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, double.Options{}, func(w *world) {
				all := longComments(2000, 2000)
				importAll(w, w.s, all, func() { change(w.db) })
				api := &ahead{API: w.client}
				options := quick(w)
				options.Memory, options.Observe = 1<<20, api.observe
				c := w.consumer(api, options)
				run(w, c)
				wait(w, c)
				api.mu.Lock() // shards are still being read
				read, ahead := api.everything, api.most
				api.mu.Unlock()
				if read < len(all) {
					w.Errorf("%d records were read of %d comments", read, len(all))
				}
				if most := options.Memory * 9 / 8; ahead > most { // the last answer may turn out larger than was expected
					w.Errorf("%d bytes were read ahead at once, %d may be", ahead, most)
				}
				wantCounted(w, w.s, len(all))
			})
		})
	}
}

// Records above the budget are projected one at a time.
func TestRecordsAboveTheBudget(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		w.h.write(60)
		o := quick(w)
		o.Memory = 1
		c := w.consumer(w.client, o)
		run(w, c)
		w.h.write(60)
		wait(w, c)
		w.h.check()
	})
}
