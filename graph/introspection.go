package graph

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// fieldsAtOnce is how many fields of answers about the schema cost 1: they are in memory,
// and tools ask for all of them.
const fieldsAtOnce = 2

// schemaAnswer counts the fields in answers about the schema, and prices them. It goes through the
// schema as execution will, since nothing else tells how many there are: lists in
// lists make megabytes of a few hundred bytes. It stops at a bound.
type schemaAnswer struct {
	schema    *ast.Schema
	variables map[string]any
	most      int // fields
	fields    int // so far, of the whole operation
	bytes     int
}

// measure returns the cost and weight of a field __schema or __type.
func (i *schemaAnswer) measure(f *ast.Field) (cost, weight int) {
	fields, bytes := i.fields, i.bytes
	i.count(ast.SelectionSet{f}, i.schema)
	return (i.fields - fields + fieldsAtOnce - 1) / fieldsAtOnce, i.bytes - bytes
}

// count counts what is selected of an object of the schema.
func (i *schemaAnswer) count(set ast.SelectionSet, of any) {
	for _, s := range set {
		if i.fields > i.most {
			return
		}
		switch s := s.(type) {
		case *ast.Field:
			i.fields++
			i.bytes += len(s.Alias) + shortBytes
			if s.Name == "description" {
				i.bytes += len(description(of))
			}
			for _, child := range i.below(s, of) {
				i.count(s.SelectionSet, child)
			}
		case *ast.InlineFragment:
			i.count(s.SelectionSet, of)
		case *ast.FragmentSpread:
			i.count(s.Definition.SelectionSet, of)
		}
	}
}

func description(of any) string {
	switch of := of.(type) {
	case *ast.Schema:
		return of.Description
	case *ast.Definition:
		return of.Description
	case *ast.FieldDefinition:
		return of.Description
	case *ast.ArgumentDefinition:
		return of.Description
	case *ast.EnumValueDefinition:
		return of.Description
	case *ast.DirectiveDefinition:
		return of.Description
	}
	return ""
}

// below returns the objects of a field of an object of the schema. A type is an
// *ast.Type if it is a list or not null, and an *ast.Definition otherwise.
func (i *schemaAnswer) below(f *ast.Field, of any) []any {
	switch of := of.(type) {
	case *ast.Schema:
		switch f.Name {
		case "__schema":
			return []any{of}
		case "__type":
			name, _ := f.ArgumentMap(i.variables)["name"].(string)
			return defined(of.Types[name])
		case "types":
			return objects(types(of))
		case "queryType":
			return defined(of.Query)
		case "mutationType":
			return defined(of.Mutation)
		case "subscriptionType":
			return defined(of.Subscription)
		case "directives":
			var all []any
			for _, d := range of.Directives {
				all = append(all, d)
			}
			return all
		}
	case *ast.Type:
		if f.Name != "ofType" {
			return nil
		}
		if of.NonNull {
			nullable := *of
			nullable.NonNull = false
			return i.named(&nullable)
		}
		return i.named(of.Elem)
	case *ast.Definition:
		switch f.Name {
		case "fields":
			return objects(slices.DeleteFunc(slices.Clone(of.Fields), func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") }))
		case "inputFields":
			return objects(of.Fields)
		case "enumValues":
			return objects(of.EnumValues)
		case "possibleTypes":
			return objects(i.schema.GetPossibleTypes(of))
		case "interfaces":
			return objects(i.schema.GetImplements(of))
		}
	case *ast.FieldDefinition: // of an object or an input
		switch f.Name {
		case "type":
			return i.named(of.Type)
		case "args":
			return objects(of.Arguments)
		}
	case *ast.ArgumentDefinition:
		if f.Name == "type" {
			return i.named(of.Type)
		}
	case *ast.DirectiveDefinition:
		if f.Name == "args" {
			return objects(of.Arguments)
		}
	}
	return nil
}

func (i *schemaAnswer) named(t *ast.Type) []any {
	if t.NonNull || t.Elem != nil {
		return []any{t}
	}
	return defined(i.schema.Types[t.NamedType])
}

func defined(d *ast.Definition) []any {
	if d == nil {
		return nil
	}
	return []any{d}
}

func types(s *ast.Schema) (list []*ast.Definition) {
	for _, d := range s.Types {
		list = append(list, d)
	}
	return list
}

func objects[L ~[]T, T any](list L) []any {
	out := make([]any, len(list))
	for i, o := range list {
		out[i] = o
	}
	return out
}
