package command

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyendpoints "github.com/aws/smithy-go/endpoints"

	"product-comments/store/read/cache"
)

// maxEndpoints is how many endpoints a client remembers: one for each table, account and
// region that it calls.
const maxEndpoints = 16

// resolver resolves a client's endpoints as the SDK does, and caches them. The SDK evaluates its
// rules for every call, in a frame so large that the goroutine's stack has to grow, which costs 5
// % of the processor time of a page.
type resolver struct {
	sdk   dynamodb.EndpointResolverV2
	known *cache.Recent[endpointOf, smithyendpoints.Endpoint]
}

// endpointOf holds the parameters that an endpoint depends on.
type endpointOf struct {
	region, endpoint, account, mode, resource string
	dualStack, fips                           bool
}

func newResolver() *resolver {
	return &resolver{dynamodb.NewDefaultEndpointResolverV2(),
		cache.NewRecent[endpointOf, smithyendpoints.Endpoint](maxEndpoints, nil)}
}

// ResolveEndpoint implements dynamodb.EndpointResolverV2.
func (r *resolver) ResolveEndpoint(
	ctx context.Context, p dynamodb.EndpointParameters,
) (smithyendpoints.Endpoint, error) {
	if len(p.ResourceArnList) > 0 || p.IsSearchOperation != nil {
		return r.sdk.ResolveEndpoint(ctx, p)
	}
	of := endpointOf{
		aws.ToString(p.Region), aws.ToString(p.Endpoint), aws.ToString(p.AccountId),
		aws.ToString(p.AccountIdEndpointMode), aws.ToString(p.ResourceArn),
		aws.ToBool(p.UseDualStack), aws.ToBool(p.UseFIPS),
	}
	if known, ok := r.known.Get(of); ok {
		return known, nil
	}
	resolved, err := r.sdk.ResolveEndpoint(ctx, p)
	if err == nil {
		r.known.Add(of, resolved)
	}
	return resolved, err
}
