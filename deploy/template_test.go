package deploy

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func template(t *testing.T) Template {
	t.Helper()
	return testkit.Value(Read())(t)
}

var update = flag.Bool("update", false, "write what indexes of comments carry into template.yaml")

// projected is how the template says what an index of comments carries.
var projected = regexp.MustCompile(`NonKeyAttributes: \[rating, [^\]]*\]`)

// The template's table is the one that the code makes.
func TestTableIsTheCodes(t *testing.T) {
	design := store.Design()
	if *update {
		text := testkit.Value(os.ReadFile("template.yaml"))(t)
		text = projected.ReplaceAll(text, []byte("NonKeyAttributes: ["+strings.Join(design.Projected, ", ")+"]"))
		testkit.Must(t, os.WriteFile("template.yaml", text, 0o644))
		return // the test has the one of before
	}
	want := design.Definition("")
	got := template(t).Resources["Table"].Properties

	sameTable(t, got, want)
	same(t, "StreamSpecification", got["StreamSpecification"], map[string]any{"StreamViewType": string(want.StreamSpecification.StreamViewType)})
	same(t, "TimeToLiveSpecification", got["TimeToLiveSpecification"], map[string]any{"AttributeName": design.Expires, "Enabled": true})
	var indexes []any
	for _, index := range want.GlobalSecondaryIndexes {
		var projected []any
		for _, name := range index.Projection.NonKeyAttributes {
			projected = append(projected, name)
		}
		indexes = append(indexes, map[string]any{
			"IndexName":  *index.IndexName,
			"KeySchema":  keys(index.KeySchema),
			"Projection": map[string]any{"ProjectionType": string(index.Projection.ProjectionType), "NonKeyAttributes": projected},
		})
	}
	same(t, "GlobalSecondaryIndexes", got["GlobalSecondaryIndexes"], indexes)
	for _, protection := range []any{got["DeletionProtectionEnabled"], lookup(got["PointInTimeRecoverySpecification"], "PointInTimeRecoveryEnabled")} {
		testkit.Check(t, protection == true, "the table is not protected against deletion, or its past is not kept")
	}
}

// So is the table next to it, whose name says whose it is.
func TestColumnsAreTheCodes(t *testing.T) {
	want := table.ColumnsDefinition("")
	got := template(t).Resources["Columns"].Properties
	sameTable(t, got, want)
	same(t, "TableName", got["TableName"], table.ColumnsName("${Table}"))
	same(t, "StreamSpecification", got["StreamSpecification"], nil)
}

// sameTable compares what all tables have.
func sameTable(t *testing.T, got map[string]any, want *dynamodb.CreateTableInput) {
	t.Helper()
	var attributes []any
	for _, a := range want.AttributeDefinitions {
		attributes = append(attributes, map[string]any{"AttributeName": *a.AttributeName, "AttributeType": string(a.AttributeType)})
	}
	same(t, "AttributeDefinitions", got["AttributeDefinitions"], attributes)
	same(t, "BillingMode", got["BillingMode"], string(want.BillingMode))
	same(t, "KeySchema", got["KeySchema"], keys(want.KeySchema))
}

func keys(schema []types.KeySchemaElement) (all []any) {
	for _, k := range schema {
		all = append(all, map[string]any{"AttributeName": *k.AttributeName, "KeyType": string(k.KeyType)})
	}
	return all
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	testkit.Check(t, reflect.DeepEqual(got, want), "%s in deploy/template.yaml is %v\nthe code has %v", what, got, want)
}

// Secrets come from where secrets are kept; nothing in the template is one.
func TestSecretsAreReferences(t *testing.T) {
	for _, function := range []string{"Api", "Projector", "Webhooks"} {
		variables, _ := lookup(template(t).Resources[function].Properties, "Environment", "Variables").(map[string]any)
		testkit.Need(t, len(variables) > 0, "%s has no environment", function)
		for name, value := range variables {
			secret := strings.Contains(name, "KEY") || strings.Contains(name, "SECRET") || strings.Contains(name, "TOKEN")
			text := fmt.Sprint(value)
			testkit.Check(t, !secret || strings.Contains(text, "{{resolve:secretsmanager:"), "%s has %s=%s, which should be a reference to a secret", function, name, text)
		}
	}
}

// The alarm about throttling watches the table and each of its indexes, every
// alarm is about something that is there and tells the topic, and what cannot be
// projected is not dropped silently.
func TestAlarms(t *testing.T) {
	all := template(t).Resources
	watched, alarms := map[string]bool{}, 0
	for name, r := range all {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		alarms++
		testkit.Check(t, reflect.DeepEqual(r.Properties["AlarmActions"], []any{"Alarmed", []any{"AlarmTopic"}, []any{}}), "%s tells %v", name, r.Properties["AlarmActions"])
		metrics, _ := r.Properties["Metrics"].([]any)
		for _, m := range metrics {
			if metric := lookup(m, "MetricStat", "Metric", "MetricName"); metric != nil {
				dimensions, _ := lookup(m, "MetricStat", "Metric", "Dimensions").([]any)
				watched[fmt.Sprintf("%v of %v", metric, lookup(dimensions[len(dimensions)-1], "Value"))] = true
			}
		}
		dimensions, _ := r.Properties["Dimensions"].([]any)
		for _, d := range dimensions {
			value, _, _ := strings.Cut(fmt.Sprint(lookup(d, "Value")), ".")
			_, ok := all[value]
			testkit.Check(t, ok, "%s watches %s, which is not in the template", name, value)
		}
	}
	testkit.Check(t, alarms >= 9, "there are %d alarms", alarms)
	want := map[string]bool{}
	for _, name := range []string{"Table", "Columns"} {
		want["ReadThrottleEvents of "+name], want["WriteThrottleEvents of "+name] = true, true
	}
	for _, index := range key.Indexes {
		want["ReadThrottleEvents of "+index.Name], want["WriteThrottleEvents of "+index.Name] = true, true
	}
	same(t, "what TableThrottlesAlarm watches", slices.Sorted(maps.Keys(watched)), slices.Sorted(maps.Keys(want)))

	mapping := lookup(all["Projector"].Properties, "Events", "Changes", "Properties")
	for name, want := range map[string]any{
		"StartingPosition":            "TRIM_HORIZON", // with LATEST, what is written in the meantime is lost
		"FunctionResponseTypes":       []any{"ReportBatchItemFailures"},
		"ParallelizationFactor":       uint64(1), // a shard's checkpoint moves in order
		"BisectBatchOnFunctionError":  true,
		"MaximumRecordAgeInSeconds":   uint64(23 * 60 * 60), // before the stream drops them, without a word
		"DestinationConfig.OnFailure": map[string]any{"Type": "SQS", "Destination": "DeadLetters.Arn"},
	} {
		same(t, name, lookup(mapping, strings.Split(name, ".")...), want)
	}
	window, _ := lookup(mapping, "TumblingWindowInSeconds").(uint64)
	testkit.Check(t, window != 0, "without a tumbling window, events do not name their shard")
}

// The event source mapping passes what the projector watches, and nothing else.
func TestWhatTheProjectorWatchesPasses(t *testing.T) {
	var want []string
	for _, of := range store.New(nil, "comments", store.Options{}).Projector().Engine().Watches() {
		keys := fmt.Sprintf(`"PK":{"S":[{"prefix":%q}]}`, of.PK)
		if of.SK != "" {
			keys += fmt.Sprintf(`,"SK":{"S":[{"prefix":%q}]}`, of.SK)
		}
		want = append(want, `{"dynamodb":{"Keys":{`+keys+`}}}`)
	}
	got := testkit.Value(template(t).Filters(Projecting))(t)
	same(t, "what passes", got, want)
}

// arns are the resources of roles where no one uses the template.
var arns = map[string]string{
	"table":           "arn:aws:dynamodb:eu-central-1:111122223333:table/comments",
	"index":           "arn:aws:dynamodb:eu-central-1:111122223333:table/comments/index/*",
	"columns":         "arn:aws:dynamodb:eu-central-1:111122223333:table/comments-columns",
	"stream":          "arn:aws:dynamodb:eu-central-1:111122223333:table/comments/stream/*",
	"DeadLetters.Arn": "arn:aws:sqs:eu-central-1:111122223333:comments-dead-letters",
	"Photos.Arn":      "arn:aws:s3:::shop-photos",
	"${Photos.Arn}/*": "arn:aws:s3:::shop-photos/*",
	"*":               "*",
}

// policy spells what a role of the template allows, its log left out.
func policy(t *testing.T, role string) string {
	t.Helper()
	of := map[string][]string{}
	for _, a := range slices.SortedFunc(maps.Keys(testkit.Value(template(t).Allowed(role))(t)), byName) {
		if !strings.HasPrefix(a.Name, "logs:") {
			of[a.With] = append(of[a.With], fmt.Sprintf("%q", a.Name))
		}
	}
	var statements []string
	for _, with := range slices.Sorted(maps.Keys(of)) {
		testkit.Need(t, arns[with] != "", "%s: what is %s?", role, with)
		statements = append(statements, fmt.Sprintf("  {\"Effect\": \"Allow\", \"Resource\": %q,\n   \"Action\": [%s]}", arns[with], strings.Join(of[with], ", ")))
	}
	return "```json\n{\"Version\": \"2012-10-17\", \"Statement\": [\n" + strings.Join(statements, ",\n") + "\n]}\n```\n"
}

// Who does not use the template finds its roles and its event source mapping on the page.
func TestRolesAndMappingOfThePage(t *testing.T) {
	manual.Generated(t, "deploy.md", "role of serve", policy(t, API))
	manual.Generated(t, "deploy.md", "role of the projector", policy(t, Projector))
	manual.Generated(t, "deploy.md", "role of the sender", policy(t, Webhooks))

	m := lookup(template(t).Resources[Projecting].Properties, "Events", "Changes", "Properties")
	flag := func(name, property string) string { return fmt.Sprintf("  --%s %v", name, lookup(m, property)) }
	var filters []string
	for _, pattern := range testkit.Value(template(t).Filters(Projecting))(t) {
		filters = append(filters, fmt.Sprintf("{\"Pattern\":%s}", testkit.Value(json.Marshal(pattern))(t)))
	}
	manual.Generated(t, "deploy.md", "mapping", "```\n"+strings.Join([]string{
		"aws lambda create-event-source-mapping --function-name comments-projector",
		`  --event-source-arn "$(aws dynamodb describe-table --table-name comments --query Table.LatestStreamArn --output text)"`,
		flag("starting-position", "StartingPosition"), flag("batch-size", "BatchSize"), flag("maximum-batching-window-in-seconds", "MaximumBatchingWindowInSeconds"),
		flag("tumbling-window-in-seconds", "TumblingWindowInSeconds"), flag("parallelization-factor", "ParallelizationFactor"),
		"  --function-response-types ReportBatchItemFailures --bisect-batch-on-function-error",
		flag("maximum-retry-attempts", "MaximumRetryAttempts"), flag("maximum-record-age-in-seconds", "MaximumRecordAgeInSeconds"),
		`  --destination-config '{"OnFailure":{"Destination":"` + arns["DeadLetters.Arn"] + `"}}'`,
		`  --filter-criteria '{"Filters":[` + strings.Join(filters, ",") + `]}'`,
	}, " \\\n")+"\n```\n")
}
