package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine"
	"product-comments/internal/testkit"
)

// A table that is as it should be needs nothing. One of a newer format is refused by
// whatever opens it, with what to do.
func TestFormats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	wantRun(t, dir, "", 0, "is up to date", "table", "upgrade", "--data-dir=data", "--apply")

	e := testkit.Value(engine.Open(t.Context(), engine.Options{DataDir: filepath.Join(dir, "data")}))(t)
	client := dynamodb.New(dynamodb.Options{Region: localRegion, BaseEndpoint: aws.String(e.Endpoint()), Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	settings := &types.AttributeValueMemberS{Value: "META#statistics"}
	testkit.Value(client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
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
