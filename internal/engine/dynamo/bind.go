package dynamo

import (
	"maps"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// request collects the expressions of a request and checks them together with its placeholders.
type request struct {
	bindings
	err error // the first

	any   bool // it has an expression
	names map[string]bool
	used  map[string]bool // values
}

func newRequest(names map[string]string, values Item) *request {
	r := &request{
		bindings: bindings{names: names, values: values}, names: map[string]bool{}, used: map[string]bool{},
	}
	for name, v := range values {
		if _, err := stored(v, 1); err != nil {
			r.fail(Invalid("ExpressionAttributeValues contains invalid value: %v for key %s", err, name))
		}
	}
	return r
}

func (r *request) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// expression parses one of the request's expressions; nil if there is none.
func (r *request) expression(k kind, s *string) *expression {
	if s == nil || r.err != nil {
		return nil
	}
	r.any = true
	e, err := parsed(k, *s)
	if err != nil {
		r.fail(err)
		return nil
	}
	for _, name := range e.names {
		if _, ok := r.bindings.names[name]; !ok {
			r.fail(Invalid("Invalid %s: An expression attribute name used in the document path is not defined; attribute name: %s", k, name))
		}
		r.names[name] = true
	}
	for _, name := range e.values {
		if r.values[name] == nil {
			r.fail(Invalid("Invalid %s: An expression attribute value used in expression is not defined; attribute value: %s", k, name))
		}
		r.used[name] = true
	}
	return e
}

// condition parses a condition or filter; nil if there is none.
func (r *request) condition(k kind, s *string) condition {
	e := r.expression(k, s)
	if e == nil || r.err != nil {
		return nil
	}
	if err := e.condition.check(r.bindings); err != nil {
		r.fail(err)
	}
	return e.condition
}

// projection parses a list of paths; nil if there is none.
func (r *request) projection(s *string) []path {
	e := r.expression(projectionKind, s)
	if e == nil || r.err != nil {
		return nil
	}
	var paths []path
	var names []string
	for _, p := range e.paths {
		paths, names = append(paths, path(p.resolved(r.bindings))), append(names, p.resolved(r.bindings))
	}
	r.fail(checkOnce(projectionKind, names))
	return paths
}

// done returns the first error of the request. A placeholder that no expression uses is an error.
func (r *request) done() error {
	switch {
	case r.err != nil:
		return r.err
	case !r.any && r.bindings.names != nil:
		return Invalid("ExpressionAttributeNames can only be specified when using expressions")
	case !r.any && r.values != nil:
		return Invalid("ExpressionAttributeValues can only be specified when using expressions")
	case r.bindings.names != nil && len(r.bindings.names) == 0:
		return Invalid("ExpressionAttributeNames must not be empty")
	case r.values != nil && len(r.values) == 0:
		return Invalid("ExpressionAttributeValues must not be empty")
	case len(r.names) < len(r.bindings.names):
		return unused("Names", slices.Sorted(maps.Keys(r.bindings.names)), r.names)
	case len(r.used) < len(r.values):
		return unused("Values", slices.Sorted(maps.Keys(r.values)), r.used)
	}
	return nil
}

func unused(what string, all []string, used map[string]bool) error {
	left := slices.DeleteFunc(all, func(name string) bool { return used[name] })
	return Invalid("Value provided in ExpressionAttribute%s unused in expressions: keys: {%s}", what, strings.Join(left, ", "))
}

// met reports whether an item satisfies a condition. Every item satisfies nil.
func (r *request) met(c condition, it Item) bool { return c == nil || c.holds(r.bindings, it) }

// expressions caches parsed expressions by kind and text, because a program has few texts.
var expressions = func() *lru.Cache[string, *expression] {
	c, _ := lru.New[string, *expression](1024) // fails only for a size below 1
	return c
}()

func parsed(k kind, s string) (*expression, error) {
	id := string(k) + "\x00" + s
	if e, ok := expressions.Get(id); ok {
		return e, nil
	}
	e, err := parse(k, s)
	if err == nil {
		expressions.Add(id, e)
	}
	return e, err
}
