package command

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
)

// A flag is listed once, with all commands that have it with the same words.
type listed struct {
	flag            string
	cells, commands []string
}

// The page has every flag of every command, as --help says them.
func TestConfigurationOfThePage(t *testing.T) {
	var c commands
	model := c.parser().Model
	var flags []*listed
	leaves := 0
	for _, node := range model.Leaves(true) {
		leaves++
		command := placeholders.ReplaceAllString(node.Path(), "")
		for _, f := range node.Flags {
			if f.Name == "help" || f.Name == "version" {
				continue
			}
			cells := formatFlag(f)
			i := slices.IndexFunc(flags, func(l *listed) bool { return slices.Equal(l.cells, cells) })
			if i < 0 {
				i = len(flags)
				flags = append(flags, &listed{flag: f.Name, cells: cells})
			}
			flags[i].commands = append(flags[i].commands, "`"+command+"`")
		}
	}
	slices.SortStableFunc(flags, func(a, b *listed) int { return strings.Compare(a.flag, b.flag) })
	testkit.Need(t, leaves > 15 && len(flags) > 60, "%d commands with %d flags", leaves, len(flags))
	for _, g := range []struct {
		part string
		has  func(l *listed) bool
	}{
		{"store", func(l *listed) bool { return len(l.commands) > leaves/2 }},
		{"serve", func(l *listed) bool { return len(l.commands) <= leaves/2 && slices.Contains(l.commands, "`serve`") }},
		{"others", func(l *listed) bool { return len(l.commands) <= leaves/2 && !slices.Contains(l.commands, "`serve`") }},
	} {
		var rows [][]string
		for _, l := range flags {
			if !g.has(l) {
				continue
			}
			cells := slices.Clone(l.cells)
			if g.part != "store" {
				cells = append(cells, strings.Join(slices.DeleteFunc(slices.Clone(l.commands), func(c string) bool { return c == "`serve`" }), ", "))
			}
			rows = append(rows, cells)
		}
		head := []string{"flag", "environment", "default", ""}
		if g.part != "store" {
			head = append(head, map[string]string{"serve": "also of", "others": "of"}[g.part])
		}
		manual.Generated(t, "configuration.md", g.part, manual.Table(head, rows))
	}
}

// formatFlag returns a flag's name, environment variable, default and help.
func formatFlag(f *kong.Flag) []string {
	environment, fallback := "", ""
	if len(f.Envs) > 0 {
		environment = "`" + strings.Join(f.Envs, "`, `") + "`"
	}
	if f.HasDefault && f.Default != "" {
		fallback = "`" + f.Default + "`"
	}
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	return []string{"`" + name + "`", environment, fallback, strings.ReplaceAll(f.Help, "|", `\|`)}
}

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
