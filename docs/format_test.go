package docs

import (
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit/manual"
)

// format is all that the tables hold in format 1: items with their keys and attributes.
// An attribute is spelled NAME:TYPE. A change of this list is another format.
var format = []struct{ item, keys, attributes string }{
	{"comment", "COMMENT#<id>",
		"{keys}; PlacedId:S of one with photos; in the indexes: rating:N, lang:S, title:S, text:S up to 4,096 bytes, textBytes:N of a longer one, author:S, z:B instead of these three, ver:N version, upd:S last edit, sa:M attributes that are shown, vp:BOOL its author bought the product, in:S incentive, ex:S when the product was used, ph:B photos with their sizes, placeholders and descriptions, re:S the shop's reply; in the item alone: longText:S, inv:BOOL written with an invitation, helpful:N, attributes:S JSON, av:S version of their definitions, owner:S, only:BOOL the only one that they may write, fp:BOOL vp follows their orders, st:S state if it is not published, of:S and place:S what the keys would be, why:S reason of the state, code:S its code, reports:N, notices:N of these without a token, since:N when it began to wait for a moderator, dec:S moderators' decisions about it, up:N, down:N, ballot:S names the votes that count, vw:B the last vote, born:B the first write, w:B the last writes, ps:N touched for a power set, gen:N; left behind by a deleted one: deleted:BOOL, rating, lang, st and code of what it was, of, place, dec, w, gen"},
	{"idempotency", "IDEMPOTENCY#<digest>",
		"commentId:S that a create with this key, or with an invitation, made, or a random text if it records what happens once, such as the end of a session; expires:N after a week, or with the invitation or session"},
	{"what an author wrote about a product", "USER#<subject>, WROTE#<product>#<position> or WROTE#<product>#ONLY",
		"at:S its position"},
	{"what an author wrote, by state", "USER#<subject>, COMMENT#<state>#<position>",
		"none"},
	{"when an author wrote, or reported", "USER#<subject>, PACE or PACE#REPORTS",
		"times:S, rev:N, expires:N"},
	{"entry of the moderation queue", "CASE#<comment>, QUEUED",
		"of:S product; {keys}"},
	{"decision about a comment", "CASE#<comment>, DECISION#<position>",
		"from:S, to:S, by:S, at:S, why:S, code:S, led:S what led to a rejection, photo:S that was removed, born:B of the comment"},
	{"who looks at a comment", "CASE#<comment>, LOOKS",
		"looks:M until when, by subject, rev:N, expires:N"},
	{"report of a comment", "CASE#<comment>, REPORT#<subject>",
		"at:S, why:S, born:B of the comment; contact:B sealed name and address of a person without a token, until a decision, or GSI4PK:S GSISK:S by person and time"},
	{"photo", "PHOTO#<id>",
		"of:S the comment that has it; while none has, owner:S who uploaded it, ph:B as of a comment, GSI4PK:S GSISK:S by the time when it is deleted; one that a comment had has these two alone"},
	{"vote on a comment", "VOTE#<comment>, USER#<subject> or VISITOR#<id>",
		"vote:N 1 or -1, ballot:S of the comment, rev:N, expires:N once it is withdrawn"},
	{"order", "USER#<subject>, ORDER#<id>",
		"sa:M status, times and number of lines, rev:N; asks:BOOL it has a review request; GSIPK:S GSI2PK:S GSISK:S, OrderStatusDate:S, PlacedId:S while it is placed"},
	{"review request", "REQUEST#<order>",
		"request:S JSON, with the sealed contact, rev:N, expires:N while it has a contact; PlacedId:S GSISK:S by state and the next time"},
	{"counts of review requests", "REQUESTED#<month>",
		"sent:N, opened:N, answered:N, optedOut:N, failed:N"},
	{"key of the hashes of opt-outs", "OPTOUT#KEY",
		"key:B sealed"},
	{"opt-out", "OPTOUT#<hash>",
		"at:S"},
	{"line of an order", "ORDER#<id>, LINE#<number>",
		"sa:M product, quantity, price; user:S of the first line; GSIPK:S, GSISK:S"},
	{"purchase", "USER#<subject>, BOUGHT#<product>",
		"n:N orders that make it one"},
	{"customer", "USER#<subject>, PROFILE",
		"created:S"},
	{"definitions in force", "PRODUCT#<product> or ATTRIBUTEGROUP#<group>, ATTRIBUTES",
		"rev:N of the definitions, group:S that the product is in, moves:N how often it was put into one"},
	{"definitions", "PRODUCT#<product> or ATTRIBUTEGROUP#<group>, ATTRIBUTES#<number>",
		"list:B JSON, packed with flate"},
	{"product of a group", "ATTRIBUTEGROUP#<group>, PRODUCT#<product>",
		"none"},
	{"family", "FAMILY#<id>",
		"family:S its id, label:S, products:S JSON, rev:N"},
	{"family of a product", "PRODUCT#<product>, FAMILY",
		"family:S, label:S, products:S, rev:N, as of the family"},
	{"backfill of definitions", "ATTRIBUTEFILLS, PRODUCT#<product> or ATTRIBUTEGROUP#<group>",
		"version:S of the definitions, since:N, settled:BOOL all servers know them, at:S position of the last comment, done:N comments, check:BOOL they are compared, failed:S why the last step failed, rev:N"},
	{"backfill of a power set", "POWERSETFILLS, PRODUCT#<product>",
		"version:S the number of its item POWERSET, since:N, settled:BOOL, at:S, done:N, check:BOOL, counted:N comments then, remove:BOOL it is removed, failed:S, rev:N"},
	{"definitions that all comments have", "PRODUCT#<product>, COLUMNS",
		"filled:S version of the definitions"},
	{"moderation of a product", "PRODUCT#<product>, MODERATION",
		"mode:S"},
	{"counts of a product", "PRODUCT#<product>, S",
		"{counts}, langs:M counts of languages, by:B counts of each by rating, text, buyers and photos, and bytes, langsOther:N comments in languages not listed, rows:B the comments while they are few, then root:B and mark:N of a tree of page numbers, placed:N when its ranks were written, score:N of its entry by score, {derived}; keys of indexes, with a 5: GSIPK:S, GSISK:S, GSI2PK:S while the rank is to be written"},
	{"node of page numbers", "PRODUCT#<product>, P#<generation>/<level>/<begin>",
		"of:B comments of a leaf, else counts of the nodes below it, gen:N"},
	{"month of page numbers", "PRODUCT#<product>, M#<month>",
		"of:B counts by language, day and rating, gen:N, after:N revision of the statistics before it was written"},
	{"counts of a language", "PRODUCT#<product>, S#<language>",
		"{counts}, placed:N, score:N, {derived}; GSIPK:S, GSISK:S, GSI2PK:S"},
	{"entry of the leaderboard by score", "PRODUCT#<product>, SCORE or SCORE#<language>",
		"gen:N; GSIPK:S, GSISK:S"},
	{"attribute statistics", "PRODUCT#<product>, V#<part> or V#<part>#<language>",
		"of:M of B statistics by attribute, {derived}"},
	{"counts of the queue", "CASES#<part>, COUNTS",
		"counts:M by state, language and whether reported, {derived}"},
	{"counts of a month", "MONTHS#<part>, <month>",
		"counts:M comments by rating, state and code, decisions by rating and code, and by the time until them, rev:N, gen:N, names:B"},
	{"counts of a product's month", "MONTHS#PRODUCT#<part>, <product>#<month>",
		"counts:M, rev:N, gen:N, names:B"},
	{"copy of a comment, of a power set", "PRODUCT#<product>/<language>/<mask>, <position>",
		"auto:BOOL, gen:N; {shown}, ver:N, upd:S, sa:M, vp:BOOL, in:S, ex:S, ph:B, re:S"},
	{"power set", "PRODUCT#<product>, POWERSET",
		"rev:N"},
	{"entry of the attribute index, in the second table", "COLUMN#<product>/A/<attribute>, COLUMN#<product>/M/<attribute> or COLUMN#<product>/B",
		"gen:N, av:S; {shown}, sa:M, vp:BOOL, in:S, ex:S, ph:B, re:S; its SK is bytes: the value and the position"},
	{"checkpoint of a shard", "CHECKPOINT#<shard>",
		"seq:S number of the last record, readAt:N, done:BOOL read to its end, rev:N, expires:N"},
	{"checkpoint of a bucket", "CHECKPOINT#<shard>/<bucket>",
		"seq:S, readAt:N, expires:N"},
	{"event", "OUTBOX#<lane>, <position>",
		"type:S, is:M the comment's item, was:M before, order:S in place of them for an event of a review request, changed:S names of fields, to:S the only endpoint, expires:N; the position's id is the event's"},
	{"end of a lane of events", "OUTBOX#<lane>, HEAD",
		"last:N time of the last event in microseconds"},
	{"claim of the process that delivers events", "OUTBOX#SENDER",
		"by:S, rev:N"},
	{"webhook endpoint", "ENDPOINTS, <endpoint>",
		"endpoint:S JSON, with sealed secrets"},
	{"progress of a webhook endpoint", "ENDPOINT#<endpoint>, STATE",
		"progress:S JSON: a position in each lane, and events to send again; rev:N"},
	{"failed delivery", "ENDPOINT#<endpoint>, FAILED#<position>",
		"type:S of the event, attempts:N, why:S, expires:N"},
	{"settings", "META#statistics",
		"format:N this number, state:S of the statistics, gen:N, stream:S, created:N, powerSets:M states by product, pagesFrom:N the generation from which page numbers are kept, attributes:BOOL any were defined, moderated:BOOL a product has a mode, endpoints:N changes of webhook endpoints, weights:S by which texts and votes sort, scoreMean:N in thousandths, scoreWeight:N, scoreLeast:N, scorings:N the number of these three, ranked:N the one that all entries by score are of, rebuilder:S, rebuildAt:N, rebuilt:N, rev:N"},
	{"erasure of a person", "META#erasure-<id>",
		"at:S, and how many: removed:N, anonymous:N, orders:N, votes:N, reports:N, decisions:N, photos:N"},
	{"probe of the stream", "META#probe-<number>",
		"probe:S, expires:N"},
	{"other note", "META#<name>",
		"state:S"},
}

// sets are attributes that several items have.
var sets = []struct{ name, attributes string }{
	{"{keys}", "GSIPK:S GSI2PK:S GSI3PK:S GSI4PK:S GSISK:S"},
	{"{shown}", "rating:N lang:S title:S text:S textBytes:N author:S z:B"},
	{"{counts}", "count_1:N count_2:N count_3:N count_4:N count_5:N count_total:N bytes_1:N bytes_2:N bytes_3:N bytes_4:N bytes_5:N largest:N"},
	{"{derived}", "rev:N gen:N names:B expires:N"},
}

var attribute = regexp.MustCompile(`(\w+):(S|N|B|M|BOOL)\b`)

// asCode puts what is spelled as in the code between backticks.
func asCode(attributes string) string { return attribute.ReplaceAllString(attributes, "`$0`") }

func TestFormatOfThePage(t *testing.T) {
	var rows, shared [][]string
	for _, f := range format {
		keys := strings.NewReplacer(", ", "`, `", " or ", "` or `").Replace("`" + f.keys + "`")
		rows = append(rows, []string{f.item, keys, asCode(f.attributes)})
	}
	for _, s := range sets {
		shared = append(shared, []string{s.name, asCode(s.attributes)})
	}
	manual.Generated(t, "design.md", "format", manual.Table([]string{"set", "attributes"}, shared)+"\n"+manual.Table([]string{"item", "key", "attributes"}, rows))
}
