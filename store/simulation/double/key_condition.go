package double

// keyRange is what a key condition asks for: a partition, and a range of sort keys.
type keyRange struct {
	partition string
	rangeOf
}

// keyRange translates a key condition. What is not of the only form allowed,
// partition = :a AND sort ... :b, is refused.
func (s schema) keyRange(b bindings, c condition) (keyRange, error) {
	parts := []condition{c}
	if j, ok := c.(*junction); ok && j.and {
		parts = []condition{j.left, j.right}
	}
	var out keyRange
	var partition, sort bool
	for _, part := range parts {
		name, r, err := keyPart(b, part)
		if err != nil {
			return out, err
		}
		want := s.sort
		if name == s.partition.name {
			want = s.partition
		}
		switch {
		case name == s.partition.name && !partition && r.exact:
			partition, out.partition = true, r.low
		case name == s.partition.name:
			return out, invalid("Query key condition not supported")
		case name == s.sort.name && !sort:
			sort, out.rangeOf = true, r.rangeOf
		default:
			return out, invalid("Query condition missed key schema element: %s", s.sort.name)
		}
		for _, v := range r.values {
			if typeOf(v) != want.kind {
				return out, invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
			}
			if sortable(v) == "" {
				return out, invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", name)
			}
		}
	}
	if !partition {
		return out, invalid("Query condition missed key schema element: %s", s.partition.name)
	}
	return out, nil
}

// keyTest is what one part of a key condition says of its attribute.
type keyTest struct {
	rangeOf
	exact  bool // it is equal to low
	values []value
}

func keyPart(b bindings, c condition) (name string, t keyTest, err error) {
	var of operand
	var values []operand
	operator := ""
	switch c := c.(type) {
	case *comparison:
		of, values, operator = c.left, []operand{c.right}, c.operator
	case *between:
		of, values, operator = c.what, []operand{c.low, c.high}, "BETWEEN"
	}
	if of.path == "" {
		return "", t, invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	for _, o := range values {
		if o.known(b) == nil {
			return "", t, invalid("Invalid condition in KeyConditionExpression: %s operator must have a value", operator)
		}
		t.values = append(t.values, o.known(b))
	}
	name = of.path.resolved(b)
	if len(t.values) == 0 {
		return "", t, invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	v := sortable(t.values[0])
	switch operator {
	case "=":
		t.exact, t.rangeOf = true, rangeOf{v, next(v)}
	case "<":
		t.high = v
	case "<=":
		t.high = next(v)
	case ">":
		t.low = next(v)
	case ">=":
		t.low = v
	case "BETWEEN":
		t.rangeOf = rangeOf{v, next(sortable(t.values[1]))}
	default:
		err = invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	return name, t, err
}

// next is the least text that is greater.
func next(s string) string { return s + "\x00" }
