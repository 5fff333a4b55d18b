package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"product-comments/internal/httpapi"
)

// What introspection tells of a running service.
type (
	toldType struct {
		Kind, Name    string
		OfType        *toldType
		Description   string
		Fields        []toldField
		InputFields   []toldField
		Interfaces    []toldType
		EnumValues    []toldField
		PossibleTypes []toldType

		SpecifiedByURL string
	}
	toldField struct {
		Name, Description, DefaultValue string
		Args                            []toldField
		Type                            toldType
		Locations                       []string // of a directive
	}
	toldSchema struct {
		Description                               string
		QueryType, MutationType, SubscriptionType *toldType
		Types                                     []toldType
		Directives                                []toldField
	}
)

const wholeSchema = `{__schema{description queryType{name} mutationType{name} subscriptionType{name} types{...T} directives{name description locations args{...I}}}}
fragment T on __Type{kind name description specifiedByURL fields(includeDeprecated:true){name description args{...I} type{...R}} inputFields{...I} interfaces{name} enumValues(includeDeprecated:true){name description} possibleTypes{name}}
fragment I on __InputValue{name description type{...R} defaultValue}
fragment R on __Type{kind name ofType{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}`

func (t toldType) String() string {
	switch t.Kind {
	case "NON_NULL":
		return t.OfType.String() + "!"
	case "LIST":
		return "[" + t.OfType.String() + "]"
	}
	return t.Name
}

// lines spells everything, a line each.
func (s toldSchema) lines() []string {
	lines := []string{"schema: " + s.Description, "query " + s.QueryType.Name, "mutation " + s.MutationType.Name}
	if s.SubscriptionType != nil {
		lines = append(lines, "subscription "+s.SubscriptionType.Name)
	}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	addAll := func(of, what string, list []toldField) {
		for _, f := range list {
			add("%s %s.%s %s = %q: %s", what, of, f.Name, f.Type, f.DefaultValue, f.Description)
			for _, a := range f.Args {
				add("argument %s.%s(%s) %s = %q: %s", of, f.Name, a.Name, a.Type, a.DefaultValue, a.Description)
			}
		}
	}
	for _, t := range s.Types {
		if specified[t.Name] || strings.HasPrefix(t.Name, "__") {
			continue
		}
		add("%s %s %s: %s", t.Kind, t.Name, t.SpecifiedByURL, t.Description)
		for _, i := range t.Interfaces {
			add("%s implements %s", t.Name, i.Name)
		}
		addAll(t.Name, "field", t.Fields)
		addAll(t.Name, "member", t.InputFields)
		addAll(t.Name, "value", t.EnumValues)
	}
	for _, d := range s.Directives {
		add("directive @%s", d.Name)
	}
	slices.Sort(lines)
	return lines
}

// specified are the specification's own types.
var specified = map[string]bool{"Int": true, "Float": true, "String": true, "Boolean": true, "ID": true}

// specifiedDirectives need no definition in a file: those of the specification that
// any schema has.
var specifiedDirectives = []string{"deprecated", "include", "oneOf", "skip", "specifiedBy"}

// linesOf spells a file likewise. It is parsed alone, without what a library adds.
func linesOf(t *testing.T, text string) []string {
	t.Helper()
	doc, err := parser.ParseSchema(&ast.Source{Input: text})
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Schema) != 1 {
		t.Fatalf("%d definitions of the schema", len(doc.Schema))
	}
	s := toldSchema{Description: doc.Schema[0].Description}
	for _, o := range doc.Schema[0].OperationTypes {
		root := &toldType{Name: o.Type}
		switch o.Operation {
		case ast.Query:
			s.QueryType = root
		case ast.Mutation:
			s.MutationType = root
		default:
			s.SubscriptionType = root
		}
	}
	for _, def := range doc.Definitions {
		told := toldType{Kind: string(def.Kind), Name: def.Name, Description: def.Description}
		if by := def.Directives.ForName("specifiedBy"); by != nil {
			told.SpecifiedByURL = by.Arguments.ForName("url").Value.Raw
		}
		for _, name := range def.Interfaces {
			told.Interfaces = append(told.Interfaces, toldType{Name: name})
		}
		for _, f := range def.Fields {
			field := toldField{Name: f.Name, Description: f.Description, DefaultValue: spelled(f.DefaultValue), Type: toldType{Name: f.Type.String()}}
			for _, a := range f.Arguments {
				field.Args = append(field.Args, toldField{
					Name: a.Name, Description: a.Description, DefaultValue: spelled(a.DefaultValue), Type: toldType{Name: a.Type.String()},
				})
			}
			if def.Kind == ast.InputObject {
				told.InputFields = append(told.InputFields, field)
			} else {
				told.Fields = append(told.Fields, field)
			}
		}
		for _, v := range def.EnumValues {
			told.EnumValues = append(told.EnumValues, toldField{Name: v.Name, Description: v.Description})
		}
		s.Types = append(s.Types, told)
	}
	for _, name := range specifiedDirectives {
		s.Directives = append(s.Directives, toldField{Name: name})
	}
	for _, d := range doc.Directives {
		s.Directives = append(s.Directives, toldField{Name: d.Name})
	}
	return s.lines()
}

func spelled(v *ast.Value) string {
	if v == nil {
		return ""
	}
	return v.String()
}

// difference returns the lines that only one has.
func difference(a, b []string) (only []string) {
	in := map[string]bool{}
	for _, line := range b {
		in[line] = true
	}
	for _, line := range a {
		if !in[line] {
			only = append(only, line)
		}
	}
	return only
}

// Introspection, the file in the repository and the file that the service serves say
// the same, to every description, default and directive.
func TestTheSchemaIsOne(t *testing.T) {
	s := serve(t)
	a := s.Post(t, wholeSchema, nil)
	if len(a.Errors) > 0 {
		t.Fatalf("%+v", a.Errors)
	}
	var got struct {
		Schema toldSchema `json:"__schema"`
	}
	if err := json.Unmarshal(a.Data, &got); err != nil {
		t.Fatal(err)
	}
	told := got.Schema.lines()
	file, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	served := get(t, s.Config.Handler, "/schema.graphql")
	for name, text := range map[string]string{"schema.graphqls": string(file), "/schema.graphql": served.Body.String()} {
		lines := linesOf(t, text)
		if more, less := difference(told, lines), difference(lines, told); len(lines) < 100 || len(more)+len(less) > 0 {
			t.Errorf("%d lines\nonly introspection: %q\nonly %s: %q", len(lines), more, name, less)
		}
	}
	if !strings.Contains(got.Schema.Description, "Relay") {
		t.Errorf("its own description: %q", got.Schema.Description)
	}
}

// A directive that the service does not carry out is refused by name.
func TestDeferIsRefused(t *testing.T) {
	s := serve(t)
	a := s.Post(t, `{product(id:"42"){id ... @defer{comments(first:1){nodes{id}}}}}`, nil)
	if len(a.Errors) != 1 || len(a.Data) > 0 || a.Errors[0].Extensions["code"] != "GRAPHQL_VALIDATION_FAILED" || !strings.Contains(a.Errors[0].Message, `"@defer"`) {
		t.Errorf("%s %+v", a.Data, a.Errors)
	}
}

func TestTheSchemaAsAFile(t *testing.T) {
	s := serve(t)
	w := get(t, s.Config.Handler, "/schema.graphql")
	etag := w.Header().Get("Etag")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || etag == "" || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if a := s.Send(t, http.MethodGet, "/schema.graphql", nil, "If-None-Match", etag); a.Status != http.StatusNotModified {
		t.Errorf("with its tag: %d", a.Status)
	}
	secret := serve(t, func(c *httpapi.Config) { c.NoIntrospection = true })
	a := secret.Send(t, http.MethodGet, "/schema.graphql", nil)
	if a.Status != http.StatusForbidden || len(a.Errors) != 1 || a.Errors[0].Extensions["reason"] != "introspection_off" {
		t.Errorf("without introspection: %d %+v", a.Status, a.Errors)
	}
}
