package double

import "slices"

// condition is a parsed condition, filter or key condition.
type condition interface {
	// holds tells whether it is true of an item, which may be nil.
	holds(bindings, item) bool
	// check refuses values of a wrong type.
	check(bindings) error
}

type (
	// junction is AND or OR.
	junction struct {
		and         bool
		left, right condition
	}
	negation   struct{ of condition }
	comparison struct {
		operator    string
		left, right operand
	}
	between struct{ what, low, high operand }
	oneOf   struct {
		what operand
		of   []operand
	}
	// test is a function that is a condition.
	test struct{ call operand }
)

func (c *junction) holds(b bindings, it item) bool {
	if c.and {
		return c.left.holds(b, it) && c.right.holds(b, it)
	}
	return c.left.holds(b, it) || c.right.holds(b, it)
}

func (c *junction) check(b bindings) error {
	if err := c.left.check(b); err != nil {
		return err
	}
	return c.right.check(b)
}

func (c *negation) holds(b bindings, it item) bool { return !c.of.holds(b, it) }

func (c *negation) check(b bindings) error { return c.of.check(b) }

// valueIn returns an operand's value in a condition, where nothing can fail.
func (o operand) valueIn(b bindings, it item) value {
	v, _ := o.in(b, it)
	return v
}

func (c *comparison) holds(b bindings, it item) bool {
	left, right := c.left.valueIn(b, it), c.right.valueIn(b, it)
	if c.operator == "<>" { // also true of what is not there
		return left == nil || right == nil || !equal(left, right)
	}
	if left == nil || right == nil {
		return false
	}
	if c.operator == "=" {
		return equal(left, right)
	}
	order, ok := compare(left, right)
	if !ok {
		return false
	}
	switch c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	default:
		return order >= 0
	}
}

func (c *comparison) check(b bindings) error {
	if err := distinct(b, c.operator, c.left, c.right); err != nil || c.operator == "=" || c.operator == "<>" {
		return err
	}
	return ordered(b, c.operator, c.left, c.right)
}

// distinct refuses to compare a path with itself.
func distinct(b bindings, operator string, first operand, others ...operand) error {
	for _, o := range others {
		if first.path != nil && o.path != nil && slices.Equal(first.path.resolved(b), o.path.resolved(b)) {
			return invalid("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %v", operator, first.path.resolved(b))
		}
	}
	return nil
}

// ordered refuses placeholders whose values have no order.
func ordered(b bindings, operator string, operands ...operand) error {
	for _, o := range operands {
		switch t := typeOf(o.known(b)); t {
		case "", "S", "N", "B":
		default:
			return invalid("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, t)
		}
	}
	return nil
}

func (c *between) holds(b bindings, it item) bool {
	v := c.what.valueIn(b, it)
	low, okLow := compare(v, c.low.valueIn(b, it))
	high, okHigh := compare(v, c.high.valueIn(b, it))
	return okLow && okHigh && low >= 0 && high <= 0
}

func (c *between) check(b bindings) error {
	if err := distinct(b, "BETWEEN", c.what, c.low, c.high); err != nil {
		return err
	}
	if err := ordered(b, "BETWEEN", c.what, c.low, c.high); err != nil {
		return err
	}
	low, high := c.low.known(b), c.high.known(b)
	if low == nil || high == nil {
		return nil
	}
	order, ok := compare(low, high)
	if !ok {
		return invalid("The BETWEEN operator requires same data type for lower and upper bounds")
	}
	if order > 0 {
		return invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
	}
	return nil
}

func (c *oneOf) holds(b bindings, it item) bool {
	v := c.what.valueIn(b, it)
	return v != nil && slices.ContainsFunc(c.of, func(o operand) bool {
		w := o.valueIn(b, it)
		return w != nil && equal(v, w)
	})
}

func (c *oneOf) check(b bindings) error { return distinct(b, "IN", c.what, c.of...) }

func (c *test) holds(b bindings, it item) bool {
	v := c.call.args[0].valueIn(b, it)
	switch c.call.function {
	case "attribute_exists":
		return v != nil
	case "attribute_not_exists":
		return v == nil
	case "attribute_type":
		want, ok := c.call.args[1].valueIn(b, it).(*text)
		return ok && v != nil && typeOf(v) == want.Value
	case "begins_with":
		return beginsWith(v, c.call.args[1].valueIn(b, it))
	default:
		return contains(v, c.call.args[1].valueIn(b, it))
	}
}

var typeNames = []string{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}

func (c *test) check(b bindings) error {
	if err := distinct(b, c.call.function, c.call.args[0], c.call.args[1:]...); err != nil {
		return err
	}
	switch c.call.function {
	case "attribute_type":
		want, ok := c.call.args[1].known(b).(*text)
		if !ok {
			return invalid("Incorrect operand type for operator or function; operator or function: attribute_type, operand type: %s", typeOf(c.call.args[1].known(b)))
		}
		if !slices.Contains(typeNames, want.Value) {
			return invalid("Invalid attribute type name found; type: %s", want.Value)
		}
	case "begins_with":
		for _, o := range c.call.args {
			if t := typeOf(o.known(b)); t != "" && t != "S" && t != "B" {
				return invalid("Incorrect operand type for operator or function; operator or function: begins_with, operand type: %s", t)
			}
		}
	}
	return nil
}
