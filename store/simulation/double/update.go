package double

import (
	"cmp"
	"maps"
	"slices"
)

// check refuses what is wrong whatever the item is: values of a wrong type,
// paths that overlap, and key attributes, which cannot be altered.
func (u *update) check(b bindings, isKey func(name string) bool) error {
	var paths []path
	for _, a := range u.set {
		paths = append(paths, a.path.resolved(b))
		for _, o := range []operand{a.left, a.right} {
			if err := o.checkUpdate(b, a.operator); err != nil {
				return err
			}
		}
	}
	for _, p := range u.remove {
		paths = append(paths, p.resolved(b))
	}
	for _, a := range u.add {
		paths = append(paths, a.path.resolved(b))
		if t := typeOf(a.value.known(b)); t != "N" && t != "SS" && t != "NS" && t != "BS" {
			return invalid("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: %s", t)
		}
	}
	for _, a := range u.discard {
		paths = append(paths, a.path.resolved(b))
		if t := typeOf(a.value.known(b)); t != "SS" && t != "NS" && t != "BS" {
			return invalid("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: DELETE, operand type: %s", t)
		}
	}
	return checkPaths(updateKind, paths, isKey)
}

// checkUpdate checks the types of known values in an assignment.
func (o operand) checkUpdate(b bindings, operator string) error {
	if t := typeOf(o.known(b)); operator != "" && t != "" && t != "N" {
		return invalid("Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, t)
	}
	for _, arg := range o.args {
		if t := typeOf(arg.known(b)); o.function == "list_append" && t != "" && t != "L" {
			return invalid("Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: list_append, operand type: %s", t)
		}
		if err := arg.checkUpdate(b, ""); err != nil {
			return err
		}
	}
	return nil
}

// checkPaths refuses paths that overlap or that contradict each other, such as
// a.b and a[1], and key attributes.
func checkPaths(k kind, paths []path, isKey func(name string) bool) error {
	// Sorted, a path that another one begins with stands right before it or
	// before others that begin with it.
	sorted := slices.Clone(paths)
	slices.SortFunc(sorted, func(a, b path) int { return slices.CompareFunc(a, b, compareSteps) })
	for i, p := range sorted {
		if isKey != nil && isKey(p[0].name) {
			return invalid("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", p[0].name)
		}
		if i == 0 {
			continue
		}
		before := sorted[i-1]
		if len(before) <= len(p) && slices.Equal(before, p[:len(before)]) {
			return invalid("Invalid %s: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %v, path two: %v", k, before, p)
		}
		if n := common(before, p); n < len(p) && n < len(before) && (before[n].index < 0) != (p[n].index < 0) {
			return invalid("Invalid %s: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %v, path two: %v", k, before, p)
		}
	}
	return nil
}

func compareSteps(a, b step) int {
	return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.name, b.name))
}

// common is how many steps two paths begin with together.
func common(a, b path) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// apply returns what an item becomes. All values are taken from the item as it
// was before.
func (u *update) apply(b bindings, before item) (item, error) {
	var after value = &document{Value: maps.Clone(before)}
	put := func(p path, v value) (err error) {
		after, err = replaced(after, p.resolved(b), v)
		return err
	}
	for _, a := range u.set {
		v, err := a.valueIn(b, before)
		if err == nil {
			err = put(a.path, v)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, a := range u.add {
		v, err := added(a.path.in(b, before), a.value.known(b))
		if err == nil {
			err = put(a.path, v)
		}
		if err != nil {
			return nil, err
		}
	}
	remove := slices.Clone(u.remove)
	for _, a := range u.discard {
		was := a.path.in(b, before)
		if was == nil {
			continue
		}
		rest, err := without(was, a.value.known(b))
		if err != nil {
			return nil, err
		}
		if rest == nil {
			remove = append(remove, a.path)
		} else if err := put(a.path, rest); err != nil {
			return nil, err
		}
	}
	// The last elements of a list first: the places are those of before.
	slices.SortStableFunc(remove, func(a, b path) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b[len(b)-1].index, a[len(a)-1].index))
	})
	for _, p := range remove {
		if err := put(p, nil); err != nil {
			return nil, err
		}
	}
	return after.(*document).Value, nil
}

func (a assignment) valueIn(b bindings, it item) (value, error) {
	left, err := a.left.in(b, it)
	if err != nil {
		return nil, err
	}
	if left == nil {
		return nil, errNoAttribute
	}
	if a.operator == "" {
		return left, nil
	}
	right, err := a.right.in(b, it)
	if err != nil {
		return nil, err
	}
	if right == nil {
		return nil, errNoAttribute
	}
	x, okX := left.(*number)
	y, okY := right.(*number)
	if !okX || !okY {
		return nil, errOperandType
	}
	return calculated(x.Value, a.operator, y.Value)
}

func calculated(a, operator, b string) (value, error) {
	x, err := parseNumber(a)
	if err != nil {
		return nil, err
	}
	y, err := parseNumber(b)
	if err != nil {
		return nil, err
	}
	sum, err := x.plus(y)
	if operator == "-" {
		sum, err = x.minus(y)
	}
	return &number{Value: sum.String()}, err
}

// added is what ADD makes of a value, which may be nil.
func added(was, more value) (value, error) {
	if was == nil {
		return more, nil
	}
	if typeOf(was) != typeOf(more) {
		return nil, errOperandType
	}
	if n, ok := was.(*number); ok {
		return calculated(n.Value, "+", more.(*number).Value)
	}
	all := append(members(was), members(more)...)
	slices.Sort(all)
	return setOf(was, slices.Compact(all)), nil
}

// without is what DELETE leaves of a set; nil if that is nothing.
func without(was, less value) (value, error) {
	if typeOf(was) != typeOf(less) {
		return nil, errOperandType
	}
	gone := members(less)
	return setOf(was, slices.DeleteFunc(members(was), func(m string) bool { return slices.Contains(gone, m) })), nil
}

// replaced returns a value with another one at a path in it, or with none there
// if v is nil. What was there before is not altered.
func replaced(in value, p path, v value) (value, error) {
	if len(p) == 0 {
		return v, nil
	}
	last := len(p) == 1
	switch in := in.(type) {
	case *document:
		child, ok := in.Value[p[0].name]
		if p[0].index >= 0 || !ok && !last {
			return nil, errUpdatePath
		}
		child, err := replaced(child, p[1:], v)
		out := maps.Clone(in.Value)
		if child == nil {
			delete(out, p[0].name)
		} else {
			out[p[0].name] = child
		}
		return &document{Value: out}, err
	case *list:
		i := p[0].index
		if i < 0 || i >= len(in.Value) && !last {
			return nil, errUpdatePath
		}
		out := slices.Clone(in.Value)
		switch {
		case i >= len(out) && v == nil:
		case i >= len(out):
			out = append(out, v)
		case last && v == nil:
			out = slices.Delete(out, i, i+1)
		default:
			child, err := replaced(out[i], p[1:], v)
			if err != nil {
				return nil, err
			}
			out[i] = child
		}
		return &list{Value: out}, nil
	}
	return nil, errUpdatePath
}
