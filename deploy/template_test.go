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

	"product-comments/internal/lambda"
	"product-comments/internal/testkit"
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

	var attributes []any
	for _, a := range want.AttributeDefinitions {
		attributes = append(attributes, map[string]any{"AttributeName": *a.AttributeName, "AttributeType": string(a.AttributeType)})
	}
	same(t, "AttributeDefinitions", got["AttributeDefinitions"], attributes)
	same(t, "BillingMode", got["BillingMode"], string(want.BillingMode))
	same(t, "StreamSpecification", got["StreamSpecification"], map[string]any{"StreamViewType": string(want.StreamSpecification.StreamViewType)})
	same(t, "TimeToLiveSpecification", got["TimeToLiveSpecification"], map[string]any{"AttributeName": design.Expires, "Enabled": true})
	same(t, "KeySchema", got["KeySchema"], keys(key.PK, key.SK))
	var indexes []any
	for _, index := range want.GlobalSecondaryIndexes {
		var projected []any
		for _, name := range index.Projection.NonKeyAttributes {
			projected = append(projected, name)
		}
		indexes = append(indexes, map[string]any{
			"IndexName":  *index.IndexName,
			"KeySchema":  keys(*index.KeySchema[0].AttributeName, *index.KeySchema[1].AttributeName),
			"Projection": map[string]any{"ProjectionType": string(index.Projection.ProjectionType), "NonKeyAttributes": projected},
		})
	}
	same(t, "GlobalSecondaryIndexes", got["GlobalSecondaryIndexes"], indexes)
	for _, protection := range []any{got["DeletionProtectionEnabled"], at(got["PointInTimeRecoverySpecification"], "PointInTimeRecoveryEnabled")} {
		testkit.Check(t, protection == true, "the table is not protected against deletion, or its past is not kept")
	}
}

// So is the table beside it, whose name says whose it is.
func TestColumnsAreTheCodes(t *testing.T) {
	want := table.ColumnsDefinition("")
	got := template(t).Resources["Columns"].Properties
	var attributes []any
	for _, a := range want.AttributeDefinitions {
		attributes = append(attributes, map[string]any{"AttributeName": *a.AttributeName, "AttributeType": string(a.AttributeType)})
	}
	same(t, "AttributeDefinitions", got["AttributeDefinitions"], attributes)
	same(t, "BillingMode", got["BillingMode"], string(want.BillingMode))
	same(t, "KeySchema", got["KeySchema"], keys(key.Columns.PartitionKey, key.Columns.SortKey))
	same(t, "TableName", got["TableName"], table.ColumnsName("${Table}"))
	same(t, "StreamSpecification", got["StreamSpecification"], nil)
}

func keys(partition, sort string) []any {
	return []any{map[string]any{"AttributeName": partition, "KeyType": "HASH"}, map[string]any{"AttributeName": sort, "KeyType": "RANGE"}}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	testkit.Check(t, reflect.DeepEqual(got, want), "%s in deploy/template.yaml is %v\nthe code has %v", what, got, want)
}

// Secrets come from where secrets are kept; nothing in the template is one.
func TestSecretsAreReferences(t *testing.T) {
	for _, function := range []string{"Api", "Projector"} {
		variables, _ := at(template(t).Resources[function].Properties, "Environment", "Variables").(map[string]any)
		testkit.Need(t, len(variables) > 0, "%s has no environment", function)
		for name, value := range variables {
			secret := strings.Contains(name, "KEY") || strings.Contains(name, "SECRET") || strings.Contains(name, "TOKEN")
			text := fmt.Sprint(value)
			testkit.Check(t, !secret || strings.HasPrefix(text, "{{resolve:secretsmanager:"), "%s has %s=%s, which should be a reference to a secret", function, name, text)
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
		if !reflect.DeepEqual(r.Properties["AlarmActions"], []any{"Alarmed", []any{"AlarmTopic"}, []any{}}) {
			t.Errorf("%s tells %v", name, r.Properties["AlarmActions"])
		}
		metrics, _ := r.Properties["Metrics"].([]any)
		for _, m := range metrics {
			if metric := at(m, "MetricStat", "Metric", "MetricName"); metric != nil {
				dimensions, _ := at(m, "MetricStat", "Metric", "Dimensions").([]any)
				watched[fmt.Sprintf("%v of %v", metric, at(dimensions[len(dimensions)-1], "Value"))] = true
			}
		}
		dimensions, _ := r.Properties["Dimensions"].([]any)
		for _, d := range dimensions {
			value, _, _ := strings.Cut(fmt.Sprint(at(d, "Value")), ".")
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

	mapping := at(all["Projector"].Properties, "Events", "Changes", "Properties")
	for name, want := range map[string]any{
		"StartingPosition":            "TRIM_HORIZON", // with LATEST, what is written in the meantime is lost
		"FunctionResponseTypes":       []any{"ReportBatchItemFailures"},
		"ParallelizationFactor":       uint64(1), // a shard's checkpoint moves in order
		"BisectBatchOnFunctionError":  true,
		"MaximumRecordAgeInSeconds":   uint64(23 * 60 * 60), // before the stream drops them, without a word
		"DestinationConfig.OnFailure": map[string]any{"Type": "SQS", "Destination": "DeadLetters.Arn"},
	} {
		same(t, name, at(mapping, strings.Split(name, ".")...), want)
	}
	window, _ := at(mapping, "TumblingWindowInSeconds").(uint64)
	testkit.Check(t, window != 0, "without a tumbling window, events do not name their shard")
}

// The event source mapping passes what the projector watches, and nothing else, in the
// template as in docs/lambda.md, whose role allows what the template's does.
func TestWhatTheProjectorWatchesPasses(t *testing.T) {
	want := testkit.Value(lambda.Filters(store.New(nil, "comments", store.Options{}).Projector().Watches()))(t)
	got := testkit.Value(template(t).Filters(Projecting))(t)
	same(t, "what passes", got, want)

	page := testkit.Value(os.ReadFile("../docs/lambda.md"))(t)
	_, rest, _ := strings.Cut(string(page), "--filter-criteria '")
	criteria, _, _ := strings.Cut(rest, "'")
	var documented struct{ Filters []struct{ Pattern string } }
	err := json.Unmarshal([]byte(criteria), &documented)
	testkit.Need(t, err == nil, "--filter-criteria in docs/lambda.md: %v", err)
	var patterns []string
	for _, f := range documented.Filters {
		patterns = append(patterns, f.Pattern)
	}
	testkit.Check(t, slices.Equal(patterns, want), "docs/lambda.md has the filters %q, the code %q", patterns, want)

	_, rest, _ = strings.Cut(string(page), "```json")
	policy, _, _ := strings.Cut(rest, "```")
	var role struct {
		Statement []struct{ Action, Resource any }
	}
	err = json.Unmarshal([]byte(policy), &role)
	testkit.Need(t, err == nil, "the role in docs/lambda.md: %v", err)
	resources := map[string]string{"table/comments": "table", "table/comments/index/*": "index", "table/comments-columns": "columns", "table/comments/stream/*": "stream"}
	allowed := map[Action]bool{}
	for _, s := range role.Statement {
		name := fmt.Sprint(s.Resource)
		for _, action := range list(s.Action) {
			if with := resources[name[strings.LastIndex(name, ":")+1:]]; with != "" {
				allowed[Action{action, with}] = true
			}
		}
	}
	all := testkit.Value(template(t).Allowed(Projector))(t)
	for a := range all {
		if a.With != "table" && a.With != "index" && a.With != "columns" && a.With != "stream" {
			delete(all, a)
		}
	}
	testkit.Check(t, maps.Equal(allowed, all), "the role in docs/lambda.md allows %v, that of the template %v", allowed, all)
}
