package graph

import (
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"
)

// fieldsAtOnce is how many fields of answers about the schema cost 1: they are in memory,
// and tools ask for all of them.
const fieldsAtOnce = 2

// schemaAnswer counts the fields in answers about the schema, and prices them. It goes
// through the objects of package introspection as execution will, since nothing else tells
// how many there are: lists in lists make megabytes of a few hundred bytes. It stops at a
// bound.
type schemaAnswer struct {
	most   int // fields
	fields int // so far, of the whole operation
	bytes  int
}

// measure returns the cost and weight of a field __schema or __type.
func (i *schemaAnswer) measure(schema *ast.Schema, f *ast.Field, variables map[string]any) (cost, weight int) {
	fields, bytes := i.fields, i.bytes
	var of any = introspection.WrapSchema(schema)
	if f.Name == "__type" {
		name, _ := f.ArgumentMap(variables)["name"].(string)
		of = introspection.WrapTypeFromDef(schema, schema.Types[name])
	}
	i.fields++
	i.bytes += len(f.Alias) + shortBytes
	i.value(f, reflect.ValueOf(of))
	return (i.fields - fields + fieldsAtOnce - 1) / fieldsAtOnce, i.bytes - bytes
}

// value counts a field's value, and what is selected of it.
func (i *schemaAnswer) value(f *ast.Field, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		i.bytes += v.Len()
	case reflect.Slice:
		for n := range v.Len() {
			i.value(f, v.Index(n).Addr())
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Elem().Kind() == reflect.String {
			i.value(f, v.Elem())
			return
		}
		i.selections(f.SelectionSet, v)
	}
}

// selections counts what is selected of an object.
func (i *schemaAnswer) selections(set ast.SelectionSet, of reflect.Value) {
	for _, s := range set {
		if i.fields > i.most {
			return
		}
		switch s := s.(type) {
		case *ast.Field:
			i.fields++
			i.bytes += len(s.Alias) + shortBytes
			if len(s.SelectionSet) > 0 || s.Name == "description" { // of others the name says how long they are
				i.value(s, member(of, s.Name))
			}
		case *ast.InlineFragment:
			i.selections(s.SelectionSet, of)
		case *ast.FragmentSpread:
			i.selections(s.Definition.SelectionSet, of)
		}
	}
}

// member returns what an object has for a field; deprecated elements of lists, too.
func member(of reflect.Value, name string) reflect.Value {
	name = strings.ToUpper(name[:1]) + name[1:]
	method := of.MethodByName(name)
	if !method.IsValid() {
		return of.Elem().FieldByName(name)
	}
	if method.Type().NumIn() == 0 {
		return method.Call(nil)[0]
	}
	return method.Call([]reflect.Value{reflect.ValueOf(true)})[0]
}
