package document

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
)

// costs are the schema's directives about costs and sizes.
type costs struct {
	schema *ast.Schema
	prices map[any]pricing     // of fields, arguments, and values of enums, by their definitions
	sized  map[string][]string // of types of connections: the fields with their items
}

// pricing is the value of the directives @cost, @listSize and @length of one definition.
type pricing struct {
	priced      bool // it has a cost
	thousandths int
	factor      bool // it multiplies the cost
	perItem     bool // it multiplies by the length of the list
	each        int  // cost of each item of the list

	list    bool     // the field has @listSize
	assumed int      // the length if no argument sets it
	slicing []string // arguments that set the length
	sized   []string // of a connection, the fields with its items
	most    int      // maximum of items, or of bytes of a text, for estimating memory; 0 for lists without an estimate
}

// readCosts reads the directives of a schema. It panics if they are invalid, so that the program
// does not start.
func readCosts(schema *ast.Schema) *costs {
	c := &costs{schema: schema, prices: map[any]pricing{}, sized: map[string][]string{}}
	for _, t := range schema.Types {
		for _, v := range t.EnumValues {
			c.prices[v] = pricingOf(v.Directives)
		}
		for _, f := range t.Fields {
			r := pricingOf(f.Directives)
			if c.prices[f] = r; r.sized != nil {
				c.sized[f.Type.Name()] = r.sized
			}
			for _, a := range f.Arguments {
				c.prices[a] = pricingOf(a.Directives)
			}
		}
	}
	return c
}

func pricingOf(list ast.DirectiveList) pricing {
	p := pricing{
		each: number(list, "cost", "each"), list: list.ForName("listSize") != nil, assumed: number(list, "listSize", "assumedSize"),
		slicing: texts(list, "listSize", "slicingArguments"), sized: texts(list, "listSize", "sizedFields"),
		most: number(list, "length", "most"),
	}
	weight := texts(list, "cost", "weight")
	if p.priced = weight != nil; !p.priced {
		return p
	}
	if p.perItem = weight[0] == "*length"; !p.perItem {
		var n string
		n, p.factor = strings.CutPrefix(weight[0], "*")
		decimal, err := strconv.ParseFloat(n, 64)
		if err != nil {
			panic(fmt.Sprintf("graph: the weight %q in the schema is not a number", weight[0]))
		}
		p.thousandths = int(math.Round(1000 * decimal))
	}
	return p
}

// texts returns the values of a directive's argument, which may be a list; nil if it is absent.
func texts(list ast.DirectiveList, directive, argument string) (out []string) {
	d := list.ForName(directive)
	if d == nil || d.Arguments.ForName(argument) == nil {
		return nil
	}
	v := d.Arguments.ForName(argument).Value
	if v.Kind != ast.ListValue {
		return []string{v.Raw}
	}
	for _, child := range v.Children {
		out = append(out, child.Value.Raw)
	}
	return out
}

// number returns the integer of a directive's argument; 0 if it is absent.
func number(list ast.DirectiveList, directive, argument string) int {
	n, _ := strconv.Atoi(strings.Join(texts(list, directive, argument), ""))
	return n
}

// ofThePage reports whether a connection's field is not a list of its items, such as its total
// count or page info, which occur once whatever the page's size.
func (c *costs) ofThePage(f *ast.Field) bool {
	items := c.sized[f.ObjectDefinition.Name]
	return items != nil && !slices.Contains(items, f.Name)
}

// length returns the length of a list by the arguments of its field, clamped so that a cost is
// never negative and does not overflow. The resolver refuses values out of range later. It returns
// 1 for other fields.
func (p pricing) length(arguments map[string]any) int {
	for _, name := range p.slicing {
		switch v := arguments[name].(type) {
		case nil:
		case []any:
			return len(v)
		case int64:
			return int(min(max(v, 0), graph.MaxPageSize))
		default: // a list of one
			return 1
		}
	}
	if p.list {
		return p.assumed
	}
	return 1
}

// cost returns the cost of a field without its selections.
func (c *costs) cost(f *ast.FieldDefinition, arguments map[string]any) int {
	r := c.prices[f]
	if !r.priced {
		return 1
	}
	p := price{thousandths: r.thousandths, factor: 1}
	for _, a := range f.Arguments {
		p.add(c, a, a.Type, arguments[a.Name])
	}
	return p.thousandths / 1000 * p.factor
}

// price adds up the cost of a field with its arguments.
type price struct{ thousandths, factor int }

// add adds the cost of a value, by the definition of its argument, member or name, and of the
// values in it. Null, false and empty lists cost nothing.
func (p *price) add(c *costs, definition any, t *ast.Type, value any) {
	list, many := value.([]any)
	if !many {
		list = []any{value}
	}
	if value == nil || value == false || len(list) == 0 {
		return
	}
	if r := c.prices[definition]; r.priced {
		text, isText := value.(string)
		switch {
		case r.perItem:
			p.factor *= min(len(list), graph.MaxLanguages)
		case r.factor:
			p.factor *= r.thousandths / 1000
		case isText:
			p.thousandths += r.thousandths * len(text)
		default:
			p.thousandths += r.thousandths
		}
	}
	of := c.schema.Types[t.Name()]
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			for _, f := range of.Fields {
				p.add(c, f, f.Type, v[f.Name])
			}
		case string:
			if name := of.EnumValues.ForName(v); name != nil {
				p.add(c, name, t, true)
			}
		}
	}
}
