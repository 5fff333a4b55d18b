package counts_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/verify"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

// board is a test of a leaderboard whose places are written once a minute.
type board struct {
	*testing.T
	clock
	s     *store.Store
	fives []string // ids of comments
}

func (b *board) create(rating int) {
	b.Helper()
	made := testkit.Value(b.s.Create(b.Context(), store.NewComment{ProductID: "42", Rating: rating, Language: "en"}))(b)
	if rating == 5 {
		b.fives = append(b.fives, made.ID)
	}
}

// maintain does what is due, by some process that projects.
func (b *board) maintain(by *store.Store) {
	b.Helper()
	storetest.Maintain(b, by.Projector())
}

// want compares the leaderboards with the fives that they are to show, 0 for
// none, and the marks of the ones that are to be written later.
func (b *board) want(fives, marks int) {
	b.Helper()
	var want []key.Rank
	if fives > 0 {
		want = []key.Rank{{Number: fives, ProductID: "42"}}
	}
	for _, language := range []string{"", "en"} {
		got, err := b.s.Leaderboard(b.Context(), store.Board{Language: language}, store.RankWindow{Limit: 10})
		testkit.Check(b, err == nil && slices.Equal(got.Items, want), "leaderboard %q: %v, %v; want %v", language, got.Items, err, want)
	}
	marked := 0
	for n := range key.PendingPlaces {
		out := testkit.Value(storetest.Client(b).Query(b.Context(), &dynamodb.QueryInput{
			TableName: aws.String(b.s.Table()), IndexName: aws.String(key.ByLang.Name), KeyConditionExpression: aws.String("GSI2PK = :p"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: key.PendingPlacePartition(n).Value}},
		}))(b)
		marked += len(out.Items)
	}
	testkit.Check(b, marked == marks, "%d places are to be written later, want %d", marked, marks)
}

func (b *board) differences() int {
	b.Helper()
	found := testkit.Value(verify.Run(b.Context(), b.s.Projector(), verify.Options{}))(b)
	return len(found.Differences)
}

// A place is written at most once a minute, by the projector then; the counts
// themselves are exact all the time.
func TestPlacesAreWrittenOnceAMinute(t *testing.T) {
	b := &board{T: t}
	name := storetest.TableName(t)
	b.s = storeOn(t, name, store.Options{Now: b.now, PlaceAge: time.Minute})
	other := storeOn(t, name, store.Options{Now: b.now, PlaceAge: time.Minute})
	b.create(4)
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(1, 0) // the first is written at once
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(1, 2) // of all languages, and of English
	if n := b.differences(); n > 0 {
		t.Errorf("%d differences although the places are not due", n)
	}
	b.maintain(b.s)
	b.want(1, 2)
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(1, 2)

	b.advance(61 * time.Second)
	b.maintain(other)
	b.want(3, 0)
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(3, 2)
	b.advance(61 * time.Second)
	b.create(5) // what changes the count when the place is due writes it
	storetest.Project(t, b.s.Projector())
	b.want(5, 0)

	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.advance(12 * time.Minute)
	testkit.Check(t, b.differences() != 0, "places that nobody wrote for long were not found")
	b.maintain(b.s)
	b.want(6, 0)
	if n := b.differences(); n > 0 {
		t.Errorf("%d differences", n)
	}
}

// A product leaves the leaderboard with its last 5, not later, and returns when
// its place may be written again.
func TestPlacesAreRemovedAtOnce(t *testing.T) {
	b := &board{T: t}
	b.s = newStore(t, store.Options{Now: b.now, PlaceAge: time.Minute})
	b.create(4)
	b.create(5)
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(2, 0)
	for i, id := range b.fives {
		testkit.Value(b.s.Delete(t.Context(), id, nil))(t)
		storetest.Project(t, b.s.Projector())
		if i == 0 {
			b.want(2, 2)
		}
	}
	b.want(0, 0)
	b.create(5)
	storetest.Project(t, b.s.Projector())
	b.want(0, 2)
	n := b.differences()
	testkit.Check(t, n == 0, "%d differences", n)
	b.advance(61 * time.Second)
	b.maintain(b.s)
	b.want(1, 0)
}

// With no delay, each change of a count is a change of the place.
func TestPlacesAtOnce(t *testing.T) {
	b := &board{T: t}
	b.s = newStore(t, store.Options{Now: b.now, PlaceAge: -1})
	for n := range 3 {
		b.create(5)
		storetest.Project(t, b.s.Projector())
		b.want(n+1, 0)
	}
}
