package document

import (
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"
)

// fieldsAtOnce is the number of introspection fields that cost 1: they are in memory, and tools
// select all of them.
const fieldsAtOnce = 2

// schemaAnswer counts the fields of introspection answers, and prices them. It walks through the
// objects of package introspection as execution will, because only that shows their number: nested
// lists make megabytes of a query of a few hundred bytes. It stops at a bound.
type schemaAnswer struct {
	most   int // maximum of fields
	fields int // fields so far, of the whole operation
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

// value counts a field's value and its selections.
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

// selections counts the selections of an object.
func (i *schemaAnswer) selections(set ast.SelectionSet, of reflect.Value) {
	for _, s := range set {
		if i.fields > i.most {
			return
		}
		switch s := s.(type) {
		case *ast.Field:
			i.fields++
			i.bytes += len(s.Alias) + shortBytes
			if len(s.SelectionSet) > 0 || s.Name == "description" { // other values are about as long as their names
				i.value(s, member(of, s.Name))
			}
		case *ast.InlineFragment:
			i.selections(s.SelectionSet, of)
		case *ast.FragmentSpread:
			i.selections(s.Definition.SelectionSet, of)
		}
	}
}

// member returns an object's value for a field, including deprecated elements of lists.
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
