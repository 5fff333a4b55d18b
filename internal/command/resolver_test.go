package command

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testkit"
)

// Endpoints are the SDK's, asked for the first time or again.
func TestEndpointsAreTheSDKs(t *testing.T) {
	t.Parallel()
	r := newResolver()
	region, arn := aws.String("eu-west-1"), aws.String("arn:aws:dynamodb:eu-west-1:333333333333:table/comments")
	for range 2 {
		for i, p := range []dynamodb.EndpointParameters{
			{Region: region},
			{Region: aws.String("cn-north-1")},
			{Region: region, UseFIPS: aws.Bool(true)},
			{Region: region, UseDualStack: aws.Bool(true)},
			{Region: region, Endpoint: aws.String("http://127.0.0.1:8000")},
			{Region: region, AccountId: aws.String("111111111111"), AccountIdEndpointMode: aws.String("preferred")},
			{Region: region, AccountId: aws.String("222222222222"), AccountIdEndpointMode: aws.String("preferred")},
			{Region: region, AccountId: aws.String("222222222222"), AccountIdEndpointMode: aws.String("disabled")},
			{Region: region, ResourceArn: arn, AccountIdEndpointMode: aws.String("preferred")},
			{Region: region, ResourceArnList: []string{*arn}, AccountIdEndpointMode: aws.String("preferred")},
			{Region: region, AccountIdEndpointMode: aws.String("required")}, // refused
		} {
			want, wantErr := r.sdk.ResolveEndpoint(t.Context(), p)
			got, err := r.ResolveEndpoint(t.Context(), p)
			testkit.Check(t, reflect.DeepEqual(got, want) && reflect.DeepEqual(err, wantErr), "%d: %+v, %v in place of %+v, %v", i, got, err, want, wantErr)
		}
	}
}
