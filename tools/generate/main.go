// Command generate writes the code that follows from schema.graphqls: the code of gqlgen, as
// configured in gqlgen.yml, with the arguments of lists as one value for resolvers, the writers in
// graph/fastpath, and the types of package resolvers.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

// inputs is the map of all input types that gqlgen makes for each operation. It is for resolvers that
// decode inputs themselves, of which there are none.
var inputs = regexp.MustCompile(`(?s)\n\tinputUnmarshalMap := graphql\.BuildUnmarshalerMap\(.*?\n\t\)|\n\t*ctx = graphql\.WithUnmarshalerMap\(ctx, inputUnmarshalMap\)`)

// prune removes inputs from generated code.
func prune(file string) error {
	code, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if found := inputs.FindAll(code, -1); len(found) != 3 {
		return fmt.Errorf("%s has %d places with the map of inputs in place of 3", file, len(found))
	}
	return os.WriteFile(file, inputs.ReplaceAll(code, nil), 0o644)
}

const models = "product-comments/graph/model."

func main() {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err == nil {
		err = api.Generate(cfg, api.AddPlugin(arguments{}), api.AddPlugin(fastpath{}), api.AddPlugin(roots{}))
	}
	if err == nil {
		err = prune(cfg.Exec.Filename)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// arguments is a plugin for gqlgen that makes the arguments of lists one value for resolvers, of a
// type in graph/model/arguments.go.
type arguments struct{}

// Name implements plugin.Plugin.
func (arguments) Name() string { return "arguments" }

//go:embed arguments.gotpl
var argumentsTemplate string

// bundle is a type of such values, with the arguments of one field. A field that has all of them
// passes its other arguments separately.
type bundle struct {
	Name, Object, Field string
	Arguments           []*codegen.FieldArgument
}

// GenerateCode implements plugin.CodeGenerator. gqlgen bundles the arguments that @inlineArguments
// makes of an input. GenerateCode makes such inputs of the arguments in the schema, so clients see no
// change.
func (arguments) GenerateCode(data *codegen.Data) error {
	bundles := []bundle{ // the first one that fits is taken
		{Name: "CommentsArguments", Object: "Product", Field: "comments"},
		{Name: "WindowArguments", Object: "Query", Field: "openOrders"},
	}
	schema := &ast.Schema{Types: map[string]*ast.Definition{}}
	for i := range bundles {
		b := &bundles[i]
		fields := data.Objects.ByName(b.Object).Fields
		b.Arguments = fields[slices.IndexFunc(fields, func(f *codegen.Field) bool { return f.Name == b.Field })].Args
		goType := &ast.Argument{Name: "model", Value: &ast.Value{Kind: ast.StringValue, Raw: models + b.Name}}
		input := &ast.Definition{Kind: ast.InputObject, Directives: ast.DirectiveList{{Name: "goModel", Arguments: ast.ArgumentList{goType}}}}
		for _, a := range b.Arguments {
			input.Fields = append(input.Fields, &ast.FieldDefinition{Name: a.Name})
		}
		schema.Types[b.Name] = input
	}
	for _, o := range data.Objects {
		of := &ast.Definition{Kind: ast.Object}
		for _, f := range o.Fields {
			lacks := func(a *codegen.FieldArgument) bool { return f.Arguments.ForName(a.Name) == nil }
			fits := slices.IndexFunc(bundles, func(b bundle) bool { return !slices.ContainsFunc(b.Arguments, lacks) })
			if fits >= 0 {
				in := &ast.ArgumentDefinition{Name: "in", Type: ast.NamedType(bundles[fits].Name, nil), Directives: ast.DirectiveList{{Name: "inlineArguments"}}}
				of.Fields = append(of.Fields, &ast.FieldDefinition{Name: f.Name, Arguments: ast.ArgumentDefinitionList{in}})
			}
		}
		schema.Types[o.Name] = of
	}
	if err := codegen.ExpandInlineArguments(schema); err != nil {
		return err
	}
	return render(data, "graph/model/arguments.go", argumentsTemplate, bundles)
}

func render(data *codegen.Data, file, template string, of any) error {
	return templates.Render(templates.Options{
		PackageName: filepath.Base(filepath.Dir(file)), Filename: file, GeneratedHeader: true,
		Template: template, Data: of, Packages: data.Config.Packages, PruneOptions: data.Config.GetPruneOptions(),
	})
}

// roots is a plugin for gqlgen that writes resolvers/types.go.
type roots struct{}

// Name implements plugin.Plugin.
func (roots) Name() string { return "roots" }

//go:embed roots.gotpl
var rootsTemplate string

// GenerateCode implements plugin.CodeGenerator.
func (roots) GenerateCode(data *codegen.Data) error {
	return render(data, "resolvers/types.go", rootsTemplate, data.Objects)
}

// fastpath is a plugin for gqlgen that writes graph/fastpath/generated.go.
type fastpath struct{}

// Name implements plugin.Plugin.
func (fastpath) Name() string { return "fastpath" }

//go:embed fastpath.gotpl
var fastpathTemplate string

// GenerateCode implements plugin.CodeGenerator.
func (fastpath) GenerateCode(data *codegen.Data) error {
	if len(data.AllDirectives.LocationDirectives("FIELD")) > 0 {
		return errors.New("a directive may be given with fields of queries: graph/fastpath would not run it")
	}
	p := page{Data: data, Enums: map[string]*config.TypeReference{}}
	for _, name := range []string{"CommentEdge", "PageInfo", "Attribute", "RatingCount"} {
		if err := p.add(name); err != nil {
			return err
		}
	}
	return render(data, "graph/fastpath/generated.go", fastpathTemplate, p)
}

// page has the types that pages of comments consist of.
type page struct {
	*codegen.Data
	Types []*object
	Enums map[string]*config.TypeReference // by name
}

// object is an object type of the schema with its plain fields.
type object struct {
	*codegen.Object
	Plain []plainField
}

// add adds an object type with the types of its plain fields.
func (p *page) add(name string) error {
	if slices.ContainsFunc(p.Types, func(o *object) bool { return o.Name == name }) {
		return nil
	}
	o := &object{Object: p.Objects.ByName(name)}
	p.Types = append(p.Types, o)
	for _, field := range o.Fields {
		f, t := plainField{field}, field.TypeReference
		if !f.isPlain() {
			continue
		}
		o.Plain = append(o.Plain, f)
		switch {
		case f.OfObject():
			if err := p.add(t.Definition.Name); err != nil {
				return err
			}
		case t.HasEnumValues():
			p.Enums[t.Definition.Name] = t
		case f.appendFunc() == "":
			return fmt.Errorf("%s.%s: graph/fastpath has no function for %s: add one, and its name to appendFuncs", name, f.Name, t.GO)
		}
	}
	return nil
}

// plainField is a field that reads a struct in memory.
type plainField struct{ *codegen.Field }

// isPlain reports whether the field has no resolver, no directive and no arguments, and its value
// is no list.
func (f plainField) isPlain() bool {
	t := f.TypeReference
	return !f.IsResolver && !f.MethodHasContext && !f.VOkFunc && !f.HasDirectives() && len(f.Args) == 0 &&
		t.GQL.Elem == nil && (f.OfObject() || t.Definition.IsLeafType()) && !(t.IsPtr() && t.GQL.NonNull)
}

// OfObject reports whether the field's value is an object.
func (f plainField) OfObject() bool { return f.TypeReference.Definition.Kind == ast.Object }

// Appender returns the method of the object that appends the field's JSON, without allocating its
// value: AppendID for ID. It returns nil if there is none.
func (f plainField) Appender() types.Object {
	method, _, _ := types.LookupFieldOrMethod(f.Object.Type, true, nil, "Append"+f.GoFieldName)
	return method
}

// appendFuncs are functions of graph/fastpath, by the function with which gqlgen writes a value.
var appendFuncs = map[string]string{
	"github.com/99designs/gqlgen/graphql.MarshalString":       "appendString",
	"github.com/99designs/gqlgen/graphql.MarshalID":           "appendString",
	"github.com/99designs/gqlgen/graphql.MarshalInt":          "appendInt",
	"github.com/99designs/gqlgen/graphql.MarshalBoolean":      "strconv.AppendBool",
	"github.com/99designs/gqlgen/graphql.MarshalFloatContext": "appendFloat",
	models + "MarshalDateTime":                                "model.AppendDateTime",
}

func (f plainField) appendFunc() string {
	if t := f.TypeReference; t.HasEnumValues() {
		return "append" + t.Definition.Name
	} else if t.Marshaler != nil {
		return appendFuncs[t.Marshaler.FullName()]
	}
	return ""
}

// Certain reports whether reading the field's value returns no error.
func (f plainField) Certain() bool { return f.IsVariable() || f.NoErr }

// Source returns the expression that reads the field's value.
func (f plainField) Source() string {
	if f.IsVariable() {
		return "o." + f.GoFieldName
	}
	return "o." + f.GoFieldName + "()"
}

// Append returns the expression that appends a value.
func (f plainField) Append(v string) string {
	if f.TypeReference.IsPtr() {
		v = "*" + v
	}
	if f.TypeReference.CastType != nil {
		v = "string(" + v + ")"
	}
	return fmt.Sprintf("%s(w.json, %s)", f.appendFunc(), v)
}
