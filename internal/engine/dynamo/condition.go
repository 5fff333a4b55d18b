package dynamo

import "slices"

// condition is a parsed condition, filter or key condition.
type condition interface {
	// holds reports whether it is true of an item, which may be nil.
	holds(bindings, Item) bool
	// check refuses values of a wrong type.
	check(bindings) error
}

type (
	// junction is AND or OR.
	junction struct {
		and         bool
		left, right condition
	}
	comparison struct {
		operator    string
		left, right operand
	}
	between struct{ what, low, high operand }
	oneOf   struct {
		what operand
		of   []operand
	}
	// presence is attribute_exists or attribute_not_exists.
	presence struct {
		of     path
		exists bool
	}
)

func (c *junction) holds(b bindings, it Item) bool {
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

func (c *comparison) holds(b bindings, it Item) bool {
	left, right := c.left.in(b, it), c.right.in(b, it)
	if c.operator == "<>" { // also true of what is not there
		return left == nil || right == nil || !equal(left, right)
	}
	if left == nil || right == nil {
		return false
	}
	if c.operator == "=" {
		return equal(left, right)
	}
	order, ok := Compare(left, right)
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
		if first.path != "" && o.path != "" && first.path.resolved(b) == o.path.resolved(b) {
			return Invalid("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: [%s]", operator, first.path.resolved(b))
		}
	}
	return nil
}

// ordered refuses placeholders with values that have no order, such as booleans.
func ordered(b bindings, operator string, operands ...operand) error {
	for _, o := range operands {
		switch t := TypeOf(o.known(b)); t {
		case "", "S", "N", "B":
		default:
			return Invalid("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator, t)
		}
	}
	return nil
}

func (c *between) holds(b bindings, it Item) bool {
	v := c.what.in(b, it)
	low, okLow := Compare(v, c.low.in(b, it))
	high, okHigh := Compare(v, c.high.in(b, it))
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
	order, ok := Compare(low, high)
	if !ok {
		return Invalid("The BETWEEN operator requires same data type for lower and upper bounds")
	}
	if order > 0 {
		return Invalid("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
	}
	return nil
}

func (c *oneOf) holds(b bindings, it Item) bool {
	v := c.what.in(b, it)
	return v != nil && slices.ContainsFunc(c.of, func(o operand) bool {
		w := o.in(b, it)
		return w != nil && equal(v, w)
	})
}

func (c *oneOf) check(b bindings) error { return distinct(b, "IN", c.what, c.of...) }

func (c *presence) holds(b bindings, it Item) bool { return (c.of.in(b, it) != nil) == c.exists }

func (c *presence) check(bindings) error { return nil }
