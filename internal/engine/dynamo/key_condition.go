package dynamo

// Keys is a parsed key condition: a partition, and a range of its sort keys.
type Keys struct {
	Partition string
	Range
}

// Range contains the sort keys from Low, included, to High, excluded. An empty High is no limit.
type Range struct{ Low, High string }

func (r Range) has(sort string) bool { return sort >= r.Low && (r.High == "" || sort < r.High) }

// keys parses a key condition. DynamoDB allows only the form partition = :a AND sort ... :b; keys
// refuses every other.
func (s Schema) keys(b bindings, c condition) (Keys, error) {
	parts := []condition{c}
	if j, ok := c.(*junction); ok && j.and {
		parts = []condition{j.left, j.right}
	}
	var out Keys
	var partition, sort bool
	for _, part := range parts {
		name, r, err := keyPart(b, part)
		if err != nil {
			return out, err
		}
		want := s.Sort
		if name == s.Partition.Name {
			want = s.Partition
		}
		switch {
		case name == s.Partition.Name && !partition && r.exact:
			partition, out.Partition = true, r.Low
		case name == s.Partition.Name:
			return out, Invalid("Query key condition not supported")
		case name == s.Sort.Name && !sort:
			sort, out.Range = true, r.Range
		default:
			return out, Invalid("Query condition missed key schema element: %s", s.Sort.Name)
		}
		for _, v := range r.values {
			if TypeOf(v) != want.Kind {
				return out, Invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
			}
			if sortText(v) == "" {
				return out, Invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", name)
			}
		}
	}
	if !partition {
		return out, Invalid("Query condition missed key schema element: %s", s.Partition.Name)
	}
	return out, nil
}

// keyTest is what one part of a key condition says of its attribute.
type keyTest struct {
	Range
	exact  bool // it is equal to low
	values []Value
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
		return "", t, Invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	for _, o := range values {
		if o.known(b) == nil {
			return "", t, Invalid("Invalid condition in KeyConditionExpression: %s operator must have a value", operator)
		}
		t.values = append(t.values, o.known(b))
	}
	name = of.path.resolved(b)
	if len(t.values) == 0 {
		return "", t, Invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	v := sortText(t.values[0])
	switch operator {
	case "=":
		t.exact, t.Range = true, Range{v, next(v)}
	case "<":
		t.High = v
	case "<=":
		t.High = next(v)
	case ">":
		t.Low = next(v)
	case ">=":
		t.Low = v
	case "BETWEEN":
		t.Range = Range{v, next(sortText(t.values[1]))}
	default:
		err = Invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	return name, t, err
}

// next is the least text that is greater.
func next(s string) string { return s + "\x00" }
