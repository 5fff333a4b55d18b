package lambda

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Events of the shape that AWS documents, one after the other, and each again.
func TestRecordedEvents(t *testing.T) {
	s := newTable(t)
	var log bytes.Buffer
	h := New(s.Projector(), slog.New(slog.NewTextHandler(&log, nil)))
	for _, c := range []struct {
		event, answer string
		of42          stats.Tally
	}{
		{"comments", allWell, stats.Tally{3: 1}},
		{"window-ended", `{"state":{"kept":"as given"},"batchItemFailures":[]}`, stats.Tally{3: 1}},
		{"time-to-live", allWell, stats.Tally{}},
	} {
		for range 2 {
			answer, err := invoke(t, h, recorded(t, c.event, s.Table()))
			testkit.Need(t, err == nil && answer == c.answer, "%s: got %s, %v, want %s", c.event, answer, err, c.answer)
			want(t, s, map[string]stats.Tally{"42": c.of42, "7/x": {4: 1}})
		}
	}
	board, err := s.Leaderboard(t.Context(), store.Board{}, store.RankWindow{Limit: 10})
	testkit.Check(t, err == nil && len(board.Items) == 1 && board.Items[0].ProductID == "7/x", "the leaderboard is %+v, %v", board, err)
	checkpoint, err := s.Projector().Table().Get(t.Context(), "a checkpoint", table.Key(key.BucketCheckpoint("shardId-00000001761998400000-3f9a1c5e", projector.BucketOf("42"))))
	testkit.Check(t, err == nil && table.Text(checkpoint, "seq") == "111100000000000000000010", "the checkpoint is %v, %v", checkpoint, err)
	testkit.Check(t, strings.Contains(log.String(), "product-comments stats verify"), "no word about records that are too old: %s", log.String())
}

func TestEveryKindOfValue(t *testing.T) {
	var event events.DynamoDBTimeWindowEvent
	testkit.Must(t, json.Unmarshal(recorded(t, "every-kind", "comments"), &event))
	records := testkit.Value(recordsOf(event.Records))(t)
	str := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	null := &types.AttributeValueMemberNULL{Value: true}
	binary := []byte{0, 1, 42, 65}
	w := map[string]types.AttributeValue{
		"PK": str("X"), "SK": str("X"), "string": str(""), "number": number("-1.5E+3"), "null": null,
		"binary":   &types.AttributeValueMemberB{Value: binary},
		"true":     &types.AttributeValueMemberBOOL{Value: true},
		"false":    &types.AttributeValueMemberBOOL{Value: false},
		"strings":  &types.AttributeValueMemberSS{Value: []string{"Giraffe", "Zebra"}},
		"numbers":  &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
		"binaries": &types.AttributeValueMemberBS{Value: [][]byte{binary, {65, 42, 1, 0}}},
		"list":     &types.AttributeValueMemberL{Value: []types.AttributeValue{str("Coffee"), &types.AttributeValueMemberL{Value: []types.AttributeValue{}}, null}},
		"map": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			"Name": str("Joe"), "Deep": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"N": number("35")}},
		}},
	}
	got := records[0].After
	testkit.Check(t, reflect.DeepEqual(got, w), "got %#v\nwant %#v", got, w)
	testkit.Check(t, records[0].Before == nil, "an item was there before it was inserted: %#v", records[0].Before)
}

func TestWarnOfAge(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ages []time.Duration
		want string // in the log; empty for no word
	}{
		{nil, ""},
		{[]time.Duration{time.Minute, 23 * time.Hour}, ""},
		{[]time.Duration{time.Minute, 23*time.Hour + time.Minute, time.Hour}, "level=WARN msg=\"the event source mapping is far behind"},
		{[]time.Duration{25 * time.Hour, 23*time.Hour + time.Minute}, "level=ERROR msg=\"the event source mapping has probably lost records"},
	} {
		records := []index.Record{{Sequence: "0"}} // of an unknown age
		for _, age := range c.ages {
			records = append(records, index.Record{Sequence: age.String(), Created: now.Add(-age)})
		}
		var out bytes.Buffer
		warnOfAge(t.Context(), slog.New(slog.NewTextHandler(&out, nil)), records, now)
		got := out.String()
		testkit.Check(t, strings.Count(got, "\n") <= 1 && (c.want == "") == (got == "") && strings.Contains(got, c.want), "%v: logged %q, want %q", c.ages, got, c.want)
	}
}

// FuzzEvent reads events as Lambda may give them, and divides their records: each is
// refused or of use, and none ends the process. The stream's own records take the
// same way from there on.
func FuzzEvent(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	testkit.Need(f, err == nil && len(files) > 0, "no events: %v", err)
	for _, name := range files {
		text := testkit.Value(os.ReadFile(name))(f)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var event events.DynamoDBTimeWindowEvent
		if json.Unmarshal(text, &event) != nil {
			return
		}
		records, err := recordsOf(event.Records)
		if err != nil {
			return
		}
		for _, r := range records {
			given := 0
			err := projector.New(nil, nil).Divide(r, func(bucket int, c index.Change) {
				if given++; bucket < 0 || bucket >= projector.Buckets || c.Before == nil && c.After == nil {
					t.Errorf("bucket %d gets %+v", bucket, c)
				}
			})
			testkit.Check(t, (err == nil || given == 0) && given <= 2, "%d buckets have a change, and %v", given, err)
		}
	})
}
