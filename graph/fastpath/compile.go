package fastpath

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// objectType is an object type of the schema with its plain fields. T is the Go
// type of its objects.
type objectType[T any] struct {
	conditions []string // type conditions of fragments that apply: the type's name and its interfaces'
	fields     map[string]compileField[T]
}

// compileField prepares the writing of a field, given what is selected below it.
// It returns nil if something there is not plain.
type compileField[T any] func(*graphql.OperationContext, ast.SelectionSet) writeField[T]

// writeField appends the value of one object's field to the JSON. It appends
// nothing and returns false if the value is null, and has reported the error if
// there is one; the caller knows whether the field may be null.
type writeField[T any] func(*writer, *T) bool

// selection is a compiled selection set, which writes any number of objects.
type selection[T any] []selectedField[T]

type selectedField[T any] struct {
	selected *graphql.CollectedField
	write    writeField[T]
}

// compile returns nil if a field is selected that is not plain.
func (t *objectType[T]) compile(op *graphql.OperationContext, selections ast.SelectionSet) selection[T] {
	collected := graphql.CollectFields(op, selections, t.conditions)
	out := make(selection[T], len(collected))
	for i := range collected {
		compile := t.fields[collected[i].Name]
		if compile == nil {
			return nil
		}
		out[i] = selectedField[T]{selected: &collected[i], write: compile(op, collected[i].Selections)}
		if out[i].write == nil {
			return nil
		}
	}
	return out
}

// write appends an object's JSON. It returns false if a field is null that the
// schema does not allow to be.
func (s selection[T]) write(w *writer, of *T) bool {
	complete := true
	w.json = append(w.json, '{')
	for i := range s {
		field := s[i].selected
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.json = append(w.json, '"')
		w.json = append(w.json, field.Alias...) // a GraphQL name, in which JSON escapes nothing
		w.json = append(w.json, '"', ':')
		start := len(w.json)
		w.enter(pathStep{field: field})
		if !s[i].write(w, of) {
			w.json = append(w.json[:start], "null"...)
			complete = complete && !field.Definition.Type.NonNull
		}
		w.leave()
	}
	w.json = append(w.json, '}')
	return complete
}

// object is a field whose value is an object of another type, or null for nil.
func object[T, U any](t *objectType[U], get func(*T) *U) compileField[T] {
	return func(op *graphql.OperationContext, selections ast.SelectionSet) writeField[T] {
		selected := t.compile(op, selections)
		if selected == nil {
			return nil
		}
		return func(w *writer, of *T) bool {
			u := get(of)
			return u != nil && selected.write(w, u)
		}
	}
}
