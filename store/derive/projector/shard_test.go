package projector_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newStore returns a store on a new table.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{PlaceAge: -1})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

// open opens a shard.
func open(t testing.TB, s *store.Store, shard string) *projector.Shard {
	t.Helper()
	sh := testkit.Value(s.Projector().Open(t.Context(), shard, time.Time{}))(t)
	return sh
}

// arrivals are records of new comments, one a product.
func arrivals(n int) []index.Record {
	out := make([]index.Record, n)
	for i := range out {
		out[i] = record(i+1, nil, image(fmt.Sprint(i), fmt.Sprint("p", i)))
	}
	return out
}

// wantOnce fails the test unless each of the first n products has one comment,
// and no other has any.
func wantOnce(t *testing.T, s *store.Store, n int) {
	t.Helper()
	var scopes []stats.Scope
	for i := range n + 10 {
		scopes = append(scopes, stats.Scope{ProductID: fmt.Sprint("p", i)})
	}
	got := testkit.Value(s.Statistics(t.Context(), scopes))(t)
	for i := range got {
		want := 0
		if i < n {
			want = 1
		}
		testkit.Check(t, got[i].Total() == want, "product %d has %d comments, want %d", i, got[i].Total(), want)
	}
}

func projectAll(t *testing.T, s *store.Store, sh *projector.Shard, records []index.Record) {
	t.Helper()
	did, err := s.Projector().Project(t.Context(), sh, records)
	testkit.Need(t, err == nil && did.Records == len(records), "%+v of %d records, %v", did, len(records), err)
}

// Offsets of a shard survive the process, also if only the buckets have stored them.
func TestShardGoesOn(t *testing.T) {
	s := newStore(t)
	storetest.Project(t, s.Projector()) // statistics are kept from here on
	until := time.Unix(1_700_000_000, 0)
	sh, err := s.Projector().Open(t.Context(), "shard", until)
	testkit.Need(t, err == nil && sh.LeastSequence() == "" && sh.ReadAt.Equal(until) && !sh.Fresh(), "%+v, %v", sh, err)
	all := arrivals(60)
	projectAll(t, s, sh, all[:30])
	testkit.Check(t, sh.Sequence == "30", "it is at %s", sh.Sequence)
	again := open(t, s, "shard") // Save was never called
	projectAll(t, s, again, all)
	wantOnce(t, s, 60)

	again.Done = true
	if ok, err := s.Projector().Save(t.Context(), again); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	if ok, err := s.Projector().Save(t.Context(), sh); ok || err != nil {
		t.Errorf("another process saved it in the meantime: %v, %v", ok, err)
	}
	done := open(t, s, "shard")
	testkit.Check(t, done.Done && done.Sequence == "60", "got %+v", done)
	looked, err := s.Projector().Look(t.Context(), "another shard")
	testkit.Check(t, err == nil && looked.Fresh(), "%+v, %v", looked, err)
}

// Two changes cancel each other out for one projector, while another one has only the first of
// them: each counts exactly once.
func TestChangesThatCancelOutForOneProjector(t *testing.T) {
	for name, turns := range map[string][]struct{ projector, from, to int }{
		"both projectors have begun": {{0, 0, 2}, {1, 0, 1}, {0, 2, 3}},
		"one projector has begun":    {{1, 0, 1}, {0, 0, 2}, {1, 1, 3}, {0, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			storetest.Project(t, s.Projector()) // statistics are kept from here on
			products := storetest.OneBucket(2)
			x, y := image("x", products[0]), image("y", products[1])
			all := []index.Record{record(1, nil, x), record(2, x, nil), record(3, nil, y)}
			var shards [2]*projector.Shard
			for i := range shards {
				shards[i] = open(t, s, "shard")
			}
			for _, turn := range turns {
				if _, err := s.Projector().Project(t.Context(), shards[turn.projector], all[turn.from:turn.to]); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: products[0]}, {ProductID: products[1]}})
			testkit.Check(t, err == nil && got[0].Total() == 0 && got[1].Total() == 1, "got %+v, %v", got, err)
		})
	}
}

func image(id, product string) map[string]types.AttributeValue {
	k := key.OfComment(product, "en", 3, key.Position{CreatedAt: time.Unix(1e9, 0).UTC(), CommentID: id})
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	number := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	return map[string]types.AttributeValue{
		"PK": text(k.PK), "SK": text(k.SK), "GSIPK": text(k.GSIPK), "GSI2PK": text(k.GSI2PK), "GSI3PK": text(k.GSI3PK),
		"GSI4PK": text(k.GSI4PK), "GSISK": text(k.GSISK), "rating": number("3"), "lang": text("en"), "ver": number("1"),
	}
}

func record(sequence int, before, after map[string]types.AttributeValue) index.Record {
	return index.Record{Sequence: strconv.Itoa(sequence), Created: time.Now(), Before: before, After: after}
}

// A batch about many products is split at the borders of records, a batch about few is summed, and
// a second projection of the same records changes nothing.
func TestProjectSumsAndSplits(t *testing.T) {
	var anyBucket []string
	for i := range 300 {
		anyBucket = append(anyBucket, strconv.Itoa(i))
	}
	for _, c := range []struct {
		products        []string
		atMost, atLeast int // transactions; a product at the border of two may be in both
	}{
		{storetest.OneBucket(1), 1, 1}, {storetest.OneBucket(25), 3, 1}, {storetest.OneBucket(300), 20, 6},
		{anyBucket[:25], 16, 8}, {anyBucket, 32, 8},
	} {
		s := newStore(t)
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var comments []store.Comment
		for i := range 900 {
			comments = append(comments, store.Comment{ID: strconv.Itoa(i), ProductID: c.products[i%len(c.products)], Rating: 1 + i%5, Language: []string{"en", "de"}[i%2], CreatedAt: at})
		}
		testkit.Value(s.Import(t.Context(), comments))(t)
		done := storetest.Project(t, s.Projector())
		testkit.Check(t, done.Transactions >= c.atLeast && done.Transactions <= c.atMost && done.Records >= 900, "%d products: %+v", len(c.products), done)
		again := storetest.Project(t, s.Projector())
		testkit.Check(t, again.Transactions == 0, "%d products, again: %+v", len(c.products), again)
		testkit.Check(t, storetest.Verified(t, s.Projector()).Comments == 900 && counted(t, s) == len(c.products), "%d products are counted of %d", counted(t, s), len(c.products))
	}
}

// counted returns how many products have statistics.
func counted(t testing.TB, s *store.Store) (products int) {
	t.Helper()
	in := &dynamodb.ScanInput{
		TableName: aws.String(s.Table()), FilterExpression: aws.String("SK = :sk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":sk": &types.AttributeValueMemberS{Value: "S"}},
	}
	for pages := dynamodb.NewScanPaginator(storetest.Client(t), in); pages.HasMorePages(); {
		out := testkit.Value(pages.NextPage(t.Context()))(t)
		products += len(out.Items)
	}
	return products
}
