package resolvers_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
)

// roles says what each role may do. A field of the schema that it lacks, and an answer
// that is not what a service gives, fail TestWhoMayDoWhat.
var roles = []struct {
	what    string
	answers answers
	fields  string // "Type: field field, …", of a type with what is distinguished in parentheses
}{
	{"read products and their comments", answers{yes, yes, yes, yes, yes},
		`Query: node nodes product products family comment leaderboard;
		 Node: id;
		 Product: id productId comments photos attributes stats attributeStats family;
		 Family: id familyId label products comments stats;
		 Comment: id commentId product rating language title text author state heldBy rejectionCode stateReason statement reply verifiedPurchase incentive experiencedAt photos helpful helpfulCount unhelpfulCount attributes createdAt updatedAt version viewerCanUpdate viewerCanDelete viewerCanVote;
		 StatementOfReasons: decidedAt code reason ground origin;
		 ShopReply: text createdAt updatedAt;
		 Photo: id width height placeholder description url`},
	{"page through them", answers{yes, yes, yes, yes, yes},
		`CommentConnection: edges nodes pageInfo totalCount facets offset pageCursors;
		 PageCursors: first previous around next last;
		 PageCursor: cursor page isCurrent;
		 CommentEdge: cursor node;
		 PhotoConnection: edges nodes pageInfo;
		 PhotoEdge: cursor node comment;
		 LeaderboardConnection: edges nodes pageInfo;
		 LeaderboardEdge: cursor node fiveStarCount score;
		 PageInfo: hasNextPage hasPreviousPage startCursor endCursor`},
	{"read what they count to", answers{yes, yes, yes, yes, yes},
		`ProductStats: totalCount averageRating ratingCounts firstCreatedAt lastCreatedAt languageCounts verifiedCount timeline;
		 TimelineBucket: from count averageRating ratingCounts;
		 RatingCount: rating count;
		 LanguageCount: language count ratingCounts;
		 CommentFacets: languageCounts ratingCounts withTextCount withoutTextCount verifiedCount unverifiedCount withPhotosCount withoutPhotosCount incentivizedCount notIncentivizedCount;
		 AttributeStats: count average minimum maximum histogram choices;
		 Bucket: from to count;
		 ChoiceCount: choice count`},
	{"read attributes", answers{yes, yes, yes, yes, yes},
		`AttributeDefinition: key label labels type choices position shown locale address unit scale group;
		 AttributeScale: minimum maximum;
		 AttributeChoice: value label labels;
		 AttributeLabel: language label;
		 Attribute: definition value number date day boolean choice`},
	{"see how pages are read", answers{no, no, no, no, no},
		`CommentConnection: plan`},
	{"the same with `--explain`", answers{yes, yes, yes, yes, yes},
		`QueryPlan: strategy index reason estimate actual partitions rejected text lines;
		 PlanEstimate: readUnits queries roundTrips discarded;
		 PlanActual: readUnits queries roundTrips itemsRead itemsShown;
		 PlanPartition: partition index segment role limit ratings languages withText verifiedOnly withPhotos incentivized estimatedItems estimatedReadUnits actualItems actualReadUnits queries;
		 RejectedPlan: strategy index reason estimate`},
	{"see who they are, their votes and reports", answers{nothing, yes, yes, yes, yes},
		`Query: viewer;
		 Viewer: subject role user;
		 Comment: viewerVote viewerHasReported`},
	{"see their comments on a product", answers{nothing, yes, yes, yes, yes},
		`Product: viewerComments`},
	{"vote on a comment", answers{token, no, yes, yes, yes},
		`Mutation: voteHelpful;
		 VoteHelpfulPayload: comment query`},
	{"write a comment, report", answers{token, yes, yes, yes, yes},
		`Mutation: createComment reportComment;
		 CreateCommentPayload: comment commentEdge query;
		 ReportCommentPayload: comment receipt query`},
	{"change and delete a comment", answers{token, yes, no, yes, no},
		`Mutation: updateComment deleteComment;
		 UpdateCommentPayload: comment query;
		 DeleteCommentPayload: deletedId product query`},
	{"take a comment back", answers{token, yes, no, no, no},
		`Mutation: withdrawComment;
		 WithdrawCommentPayload: comment query`},
	{"moderate and reply", answers{token, no, no, yes, yes},
		`Mutation: approveComment rejectComment removePhoto replyToComment dismissReports lookAtComment;
		 LookAtCommentPayload: comment query;
		 ApproveCommentPayload: comment query;
		 RejectCommentPayload: comment query;
		 RemovePhotoPayload: comment query;
		 ReplyToCommentPayload: comment query;
		 DismissReportsPayload: approvedCount hasMore query;
		 Query: moderationQueue reviewMonths;
		 ReviewMonth: month createdCount withdrawnCount averageRating ratings decisionCount medianDecisionSeconds p90DecisionSeconds;
		 RatingMonth: rating createdCount publishedCount refusedCount;
		 ModerationQueueConnection: edges nodes pageInfo totalCount counts;
		 StateCount: state count;
		 Comment: writer reportCount reports history lookedAtBy;
		 CommentLook: by until;
		 CommentReport: by at reason name email;
		 CommentDecision: from to by at reason heldBy rejectionCode photoId`},
	{"see reports of moderation", answers{token, no, no, yes, yes},
		`Query: moderationReport;
		 Product: moderationReport;
		 ModerationReport: from to createdCount ratings decisionCount medianDecisionSeconds p90DecisionSeconds;
		 RatingReport: rating createdCount publishedCount pendingCount refusedCount withdrawnCount removedCount refusals;
		 RefusalCount: code count`},
	{"read what is not published", answers{nothing, yes, nothing, yes, yes},
		`Query (unpublished): node nodes comment;
		 Node (unpublished): id;
		 Comment (unpublished): id commentId product rating language title text author state heldBy rejectionCode stateReason statement reply verifiedPurchase incentive experiencedAt photos helpful helpfulCount unhelpfulCount attributes createdAt updatedAt version viewerCanUpdate viewerCanDelete viewerCanVote viewerVote viewerHasReported;
		 StatementOfReasons (unpublished): decidedAt code reason ground origin;
		 ShopReply (unpublished): text createdAt updatedAt;
		 Photo (unpublished): id width height placeholder description url`},
	{"see who wrote it, its reports and history", answers{nothing, no, nothing, yes, yes},
		`Comment (unpublished): writer reportCount reports history lookedAtBy;
		 CommentLook (unpublished): by until;
		 CommentReport (unpublished): by at reason name email;
		 CommentDecision (unpublished): from to by at reason heldBy rejectionCode photoId`},
	{"vote on it, report it", answers{token, nothing, nothing, nothing, nothing},
		`Mutation (unpublished): voteHelpful reportComment`},
	{"change and delete it", answers{token, yes, nothing, yes, no},
		`Mutation (unpublished): updateComment deleteComment`},
	{"take it back", answers{token, yes, nothing, nothing, nothing},
		`Mutation (unpublished): withdrawComment`},
	{"moderate it and reply", answers{token, no, no, yes, yes},
		`Mutation (unpublished): approveComment rejectComment removePhoto replyToComment lookAtComment`},
	{"define attributes", answers{token, no, no, yes, yes},
		`Mutation: defineAttributes assignGroup;
		 DefineAttributesPayload: definitions unconverted query;
		 UnconvertedAttribute: key count;
		 AssignGroupPayload: product query`},
	{"see a person, what they ordered and wrote", answers{token, yes, no, yes, yes},
		`Query: user;
		 User: id subject createdAt orders comments;
		 OrderConnection: edges nodes pageInfo;
		 OrderEdge: cursor node`},
	{"see an order", answers{token, yes, nothing, yes, yes},
		`Query: order;
		 Order: id orderId user status placedAt shippedAt deliveredAt lines reviewRequest;
		 ReviewRequest: orderId order state dueAt sentAt endedAt answeredCount;
		 OrderLine: product quantity unitPrice;
		 Money: amount currency`},
	{"find either by its global id", answers{nothing, yes, nothing, yes, yes},
		`Query (an order): node nodes;
		 Node (an order): id;
		 Query (a person): node nodes;
		 Node (a person): id`},
	{"see the open orders of all", answers{token, no, no, yes, yes},
		`Query: openOrders`},
	{"see why its review request failed", answers{token, nothing, nothing, yes, yes},
		`ReviewRequest: failure`},
	{"manage review requests", answers{token, no, no, yes, yes},
		`Query: reviewRequests reviewRequestMonths;
		 ReviewRequestConnection: edges nodes pageInfo;
		 ReviewRequestEdge: cursor node;
		 ReviewRequestMonth: month sentCount openedCount answeredCount optedOutCount failedCount;
		 Mutation: scheduleReviewRequest cancelReviewRequest;
		 ScheduleReviewRequestPayload: reviewRequest query;
		 CancelReviewRequestPayload: reviewRequest query`},
	{"use an invitation", answers{yes, yes, yes, yes, yes},
		`Query: invitation;
		 Invitation: token url expiresAt product incentive comment others`},
	{"tell of orders, invite", answers{token, no, no, no, yes},
		`Mutation: recordOrder setOrderStatus createInvitation;
		 CreateInvitationPayload: invitation query;
		 RecordOrderPayload: order query;
		 SetOrderStatusPayload: order query`},
	{"define families", answers{token, no, no, no, yes},
		`Mutation: defineFamily;
		 DefineFamilyPayload: family query`},
	{"send events to other systems", answers{token, no, no, no, yes},
		`Query: webhookEndpoints webhookEndpoint;
		 WebhookEndpoint: id url events productIds state disabledReason createdAt oldestUndelivered failures;
		 WebhookFailureConnection: edges nodes pageInfo;
		 WebhookFailureEdge: cursor node;
		 WebhookFailure: eventId type at attempts reason;
		 Mutation: createWebhookEndpoint updateWebhookEndpoint rotateWebhookSecret deleteWebhookEndpoint replayWebhookEvents sendTestEvent;
		 CreateWebhookEndpointPayload: endpoint secret query;
		 UpdateWebhookEndpointPayload: endpoint query;
		 RotateWebhookSecretPayload: endpoint secret query;
		 DeleteWebhookEndpointPayload: deletedId query;
		 ReplayWebhookEventsPayload: endpoint query;
		 SendTestEventPayload: eventId query`},
}

var named = regexp.MustCompile(`(\w+)(?: \(([a-z ]+)\))?: ([\w ]+)`)

// group is the fields of a type that a row has.
type group struct {
	typ, about string
	fields     []string
}

// groups reads the fields of a row.
func groups(spelled string) (all []group) {
	for _, m := range named.FindAllStringSubmatch(spelled, -1) {
		all = append(all, group{m[1], m[2], strings.Fields(m[3])})
	}
	return all
}

// readRoles returns the answers by question.
func readRoles(t *testing.T) map[question]answers {
	t.Helper()
	may := map[question]answers{}
	for _, row := range roles {
		for _, g := range groups(row.fields) {
			for _, f := range g.fields {
				q := question{g.typ, f, g.about}
				_, twice := may[q]
				testkit.Check(t, !twice, "the table has two answers for %s", q)
				may[q] = row.answers
			}
		}
	}
	return may
}

// The page has the table. There the name of a type stands for its fields that no other row
// has, and payloads are left out.
func TestRolesOfThePage(t *testing.T) {
	most := map[[2]string]int{} // fields of a type in the row that has most of them
	for _, row := range roles {
		for _, g := range groups(row.fields) {
			at := [2]string{g.typ, g.about}
			most[at] = max(most[at], len(g.fields))
		}
	}
	var rows [][]string
	for _, row := range roles {
		cells := append([]string{row.what}, row.answers[:]...)
		var fields []string
		for _, g := range groups(row.fields) {
			root := g.typ == "Query" || g.typ == "Mutation"
			switch {
			case strings.HasSuffix(g.typ, "Payload"):
			case !root && len(g.fields) == most[[2]string{g.typ, g.about}]:
				fields = append(fields, "`"+g.typ+"`")
			default:
				fields = append(fields, "`"+g.typ+": "+strings.Join(g.fields, " ")+"`")
			}
		}
		slices.Sort(fields)
		rows = append(rows, append(cells, strings.Join(slices.Compact(fields), ", ")))
	}
	manual.Generated(t, "security.md", "roles", manual.Table([]string{"what", "anonymous", "author: theirs", "author: others'", "moderator", "service", "fields"}, rows))
}
