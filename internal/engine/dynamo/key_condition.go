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
func (s Schema) keys(b bindings, c condition) (out Keys, err error) {
	parts := []condition{c}
	if j, ok := c.(*junction); ok && j.and {
		parts = []condition{j.left, j.right}
	}
	seen := map[string]bool{}
	for _, part := range parts {
		name, operator, values, err := keyPart(b, part)
		if err != nil {
			return out, err
		}
		of := s.Sort
		if name == s.Partition.Name {
			of = s.Partition
		}
		switch {
		case name != of.Name || seen[name]:
			return out, Invalid("Query condition missed key schema element: %s", s.Sort.Name)
		case of == s.Partition && operator != "=":
			return out, Invalid("Query key condition not supported")
		}
		seen[name] = true
		for _, v := range values {
			if TypeOf(v) != of.Kind {
				return out, Invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
			}
			if sortText(v) == "" {
				return out, Invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", name)
			}
		}
		if of == s.Partition {
			out.Partition = sortText(values[0])
		} else {
			out.Range = rangeOf(operator, values)
		}
	}
	if !seen[s.Partition.Name] {
		return out, Invalid("Query condition missed key schema element: %s", s.Partition.Name)
	}
	return out, nil
}

// keyPart returns the attribute, the operator and the values of one part of a key condition.
func keyPart(b bindings, c condition) (name, operator string, values []Value, err error) {
	var of operand
	var operands []operand
	switch c := c.(type) {
	case *comparison:
		of, operands, operator = c.left, []operand{c.right}, c.operator
	case *between:
		of, operands, operator = c.what, []operand{c.low, c.high}, "BETWEEN"
	}
	if of.path == "" || operator == "<>" {
		return "", "", nil, Invalid("Invalid operator used in KeyConditionExpression: %s", operator)
	}
	for _, o := range operands {
		v := o.known(b)
		if v == nil {
			return "", "", nil, Invalid("Invalid condition in KeyConditionExpression: %s operator must have a value", operator)
		}
		values = append(values, v)
	}
	return of.path.resolved(b), operator, values, nil
}

// rangeOf returns the sort keys that a condition allows.
func rangeOf(operator string, values []Value) Range {
	v := sortText(values[0])
	switch operator {
	case "<":
		return Range{High: v}
	case "<=":
		return Range{High: next(v)}
	case ">":
		return Range{Low: next(v)}
	case ">=":
		return Range{Low: v}
	}
	return Range{v, next(sortText(values[len(values)-1]))} // = and BETWEEN
}

// next is the least text that is greater.
func next(s string) string { return s + "\x00" }
