package storetest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestClient(t *testing.T) {
	client, table := storetest.Client(t), storetest.TableName(t)
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	testkit.Need(t, err == nil, "%v", err)
	key := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "1"}}
	testkit.Value(client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: key}))(t)
	out := testkit.Value(storetest.Client(t).GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(table), Key: key}))(t)
	testkit.Need(t, len(out.Item) == 1, "got %v", out.Item)
}

func TestEndpoint(t *testing.T) {
	endpoint := storetest.Endpoint(t)
	testkit.Need(t, strings.HasPrefix(endpoint, "http://127."), "%v", endpoint)
}

func TestTableName(t *testing.T) {
	valid := regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)
	seen := map[string]bool{}
	for _, name := range []string{"x", "ratings 1/5, ü", strings.Repeat("long", 100)} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				table := storetest.TableName(t)
				testkit.Check(t, valid.MatchString(table) && !seen[table], "table name %q", table)
				seen[table] = true
			}
		})
	}
}
