package plain

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// kind is an object type of the schema: those of its fields that are plain.
type kind[T any] struct {
	conditions []string // of the fragments that apply: the type's name and its interfaces'
	fields     map[string]field[T]
}

// field prepares the writing of a field for what is selected of it. It returns
// nil if that is not plain.
type field[T any] func(*graphql.OperationContext, ast.SelectionSet) write[T]

// write appends a field's value, or returns false if it is null: whether it may
// be and what then is for the caller to know. If there is an error to blame it
// has reported it.
type write[T any] func(*writer, *T) bool

// plan is a selection set, ready to be written for any number of objects.
type plan[T any] []step[T]

type step[T any] struct {
	selected *graphql.CollectedField
	write    write[T]
}

// plan returns nil if something is selected that is not plain.
func (k *kind[T]) plan(op *graphql.OperationContext, selections ast.SelectionSet) plan[T] {
	selected := graphql.CollectFields(op, selections, k.conditions)
	p := make(plan[T], len(selected))
	for i := range selected {
		prepare := k.fields[selected[i].Name]
		if prepare == nil {
			return nil
		}
		p[i] = step[T]{selected: &selected[i], write: prepare(op, selected[i].Selections)}
		if p[i].write == nil {
			return nil
		}
	}
	return p
}

// write is a write: it returns false if a field is null that must not be.
func (p plan[T]) write(w *writer, of *T) bool {
	complete := true
	w.json = append(w.json, '{')
	for i := range p {
		selected := p[i].selected
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.json = append(w.json, '"')
		w.json = append(w.json, selected.Alias...) // a name, in which nothing needs escaping
		w.json = append(w.json, '"', ':')
		start := len(w.json)
		w.enter(place{field: selected})
		if !p[i].write(w, of) {
			w.json = append(w.json[:start], "null"...)
			complete = complete && !selected.Definition.Type.NonNull
		}
		w.leave()
	}
	w.json = append(w.json, '}')
	return complete
}

// object is a field that is an object itself.
func object[T, U any](k *kind[U], get func(*T) *U) field[T] {
	return func(op *graphql.OperationContext, selections ast.SelectionSet) write[T] {
		p := k.plan(op, selections)
		if p == nil {
			return nil
		}
		return func(w *writer, of *T) bool { return p.write(w, get(of)) }
	}
}
