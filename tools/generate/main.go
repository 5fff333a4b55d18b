// Command generate writes the code that follows from schema.graphqls: gqlgen's, as configured in
// gqlgen.yml, and the writers of graph/fastpath.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"go/types"
	"os"
	"slices"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/vektah/gqlparser/v2/ast"
)

const models = "product-comments/graph/model."

func main() {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err == nil {
		err = api.Generate(cfg, api.AddPlugin(fastpath{}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
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
	for _, name := range []string{"CommentEdge", "PageInfo"} {
		if err := p.add(name); err != nil {
			return err
		}
	}
	return templates.Render(templates.Options{
		PackageName: "fastpath", Filename: "graph/fastpath/generated.go", GeneratedHeader: true,
		Template: fastpathTemplate, Data: p, Packages: data.Config.Packages, PruneOptions: data.Config.GetPruneOptions(),
	})
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

// isPlain reports whether the field has neither resolver nor directive nor arguments, and its value
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
	"github.com/99designs/gqlgen/graphql.MarshalString":  "appendString",
	"github.com/99designs/gqlgen/graphql.MarshalID":      "appendString",
	"github.com/99designs/gqlgen/graphql.MarshalInt":     "appendInt",
	"github.com/99designs/gqlgen/graphql.MarshalBoolean": "strconv.AppendBool",
	models + "MarshalDateTime":                           "model.AppendDateTime",
}

func (f plainField) appendFunc() string {
	if t := f.TypeReference; t.HasEnumValues() {
		return "append" + t.Definition.Name
	} else if t.Marshaler != nil {
		return appendFuncs[t.Marshaler.FullName()]
	}
	return ""
}

// Append returns the expression that appends the value v.
func (f plainField) Append() string {
	v := "v"
	if f.TypeReference.IsPtr() {
		v = "*v"
	}
	if f.TypeReference.CastType != nil {
		v = "string(" + v + ")"
	}
	return fmt.Sprintf("%s(w.json, %s)", f.appendFunc(), v)
}
