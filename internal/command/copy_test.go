package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/embedded"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/plan"
	"product-comments/store/verify"
)

// One command makes an exact copy of a table in another engine, once. When it is done all of
// it can be read, without a projector: the leaderboard has its order, and what orders by
// votes and attributes need is there.
func TestACopyServesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var file strings.Builder
	want := []string{"c", "a", "b"}
	for i, product := range want {
		for n := range 12 * (len(want) - i) {
			fmt.Fprintf(&file, `{"productId":%q,"commentId":"%s-%03d","rating":5,"language":"en","createdAt":"2026-01-01T00:00:%02dZ","helpfulVotes":%d,"attributes":{"fit":%d}}`+"\n", product, product, n, n%60, n, n%7)
		}
	}
	write(t, dir, "comments.ndjson", file.String())
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	products := []string{"--product=a", "--product=b", "--product=c"}
	command := func(status int, says string, args ...string) string {
		t.Helper()
		return wantRun(t, dir, "", status, says, args...)
	}
	copying := func(status int, says string, more ...string) string {
		t.Helper()
		return command(status, says, append([]string{"copy", "--data-dir=" + old, "--to-engine=embedded", "--to-data-dir=" + fresh, "--poll=10ms"}, more...)...)
	}
	command(0, "", "import", "--data-dir="+old, "--infer-attributes", "comments.ndjson")
	command(0, "", "stats", "rebuild", "--data-dir="+old, "--poll=10ms")
	copying(exitFailed, "--to-table", "--to-data-dir="+old)
	out := copying(0, "72 comments and ", "--ahead")
	testkit.Check(t, strings.Contains(out, "without --ahead"), "%v", out)
	out = copying(0, ": 0 written, 0 deleted")
	testkit.Check(t, strings.Contains(out, "complete"), "%v", out)
	copying(exitFailed, "already a complete copy")
	given := command(0, "", append([]string{"export", "--data-dir=" + old}, products...)...)
	got := command(0, "", append([]string{"export", "--data-dir=" + fresh}, products...)...)
	testkit.Check(t, got == given && strings.Count(got, "\n") == 72, "the copy has\n%s\nwant\n%s", got, given)

	e, err := embedded.Open(t.Context(), embedded.Options{DataDir: fresh})
	testkit.Need(t, err == nil, "%v", err)
	defer func() {
		err := e.Close()
		testkit.Check(t, err == nil, "%v", err)
	}()
	s := store.New(e, "comments", store.Options{})
	for _, language := range []string{"", "en"} {
		board := testkit.Value(s.Leaderboard(t.Context(), store.Board{Language: language}, store.RankWindow{Limit: 10}))(t)
		var got []string
		for i, rank := range board.Items {
			got = append(got, rank.ProductID)
			testkit.Check(t, rank.Number == 12*(len(want)-i), "%s has %d comments with 5 stars in %q", rank.ProductID, rank.Number, language)
		}
		testkit.Check(t, fmt.Sprint(got) == fmt.Sprint(want), "the leaderboard of %q is %q, want %q", language, got, want)
	}
	for order, first := range map[plan.Order]string{
		{Field: plan.ByHelpful}:                     "a-023",
		{Field: plan.ByAttribute, Attribute: "fit"}: "",
	} {
		page, err := s.Page(t.Context(), plan.Filter{ProductID: "a", Order: order}, store.Window{Limit: 3})
		testkit.Check(t, err == nil && len(page.Items) == 3 && (first == "" || page.Items[0].ID == first), "in the order %+v: %d comments, %v", order, len(page.Items), err)
	}
	found, err := verify.Run(t.Context(), s.Projector(), verify.Options{Patience: time.Millisecond})
	testkit.Check(t, err == nil && len(found.Differences) == 0, "%v, %v", found.Differences, err)
}

// A table that is as it should be needs nothing. One of a newer format is refused by
// whatever opens it, with what to do.
func TestFormats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	wantRun(t, dir, "", 0, "is up to date", "table", "upgrade", "--data-dir=data", "--apply")

	e := testkit.Value(embedded.Open(t.Context(), embedded.Options{DataDir: filepath.Join(dir, "data")}))(t)
	settings := &types.AttributeValueMemberS{Value: "META#statistics"}
	testkit.Value(e.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("comments"), Key: map[string]types.AttributeValue{"PK": settings, "SK": settings},
		UpdateExpression: aws.String("SET #format = :newer"), ConditionExpression: aws.String("#format = :this"),
		ExpressionAttributeNames:  map[string]string{"#format": "format"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":this": &types.AttributeValueMemberN{Value: "2"}, ":newer": &types.AttributeValueMemberN{Value: "3"}},
	}))(t)
	testkit.Must(t, e.Close())
	const says = `table "comments" has format 3, and this version of the program knows no format above 2: run the version that upgraded the table, or a later one`
	more := map[string]string{ // that commands must be given
		"serve": "--addr=127.0.0.1:0", "import": "-", "export": "--product=42", "explain": "--product=42", "copy": "--to-engine=embedded --to-data-dir=copy",
		"product set": "42 --projection=power-set", "product moderation": "42 post", "product plain-languages": "42",
		"user export": "alice", "user erase": "alice --comments=remove", "stats buckets": "4",
	}
	for _, command := range tableCommands {
		arguments := append(strings.Fields(command), "--data-dir=data")
		arguments = append(arguments, strings.Fields(more[command])...)
		wantRun(t, dir, "", exitFailed, says, arguments...)
	}
}
