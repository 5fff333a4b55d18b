package graph

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	PageSize    = 20  // of a connection without first and last
	MaxPageSize = 100 // maximum of first and last
	MaxIDs      = 100 // maximum of ids that nodes and products take
	// MaxLanguages is the maximum of languages of a filter: each is a separate partition.
	MaxLanguages = 10
)

// costs are the schema's directives about costs and sizes.
type costs struct {
	schema  *ast.Schema
	weights map[any]weight // of fields, arguments, and values of enums, by their definitions
	sizes   map[*ast.FieldDefinition]size
	sized   map[string][]string // of types of connections: the fields with their items
}

// weight is the value of @cost.
type weight struct {
	thousandths int
	factor      bool // it multiplies the cost
	length      bool // it multiplies by the length of the list
	each        int  // cost of each item of the list
}

// size is the value of @listSize and @length.
type size struct {
	list    bool     // the field has @listSize
	assumed int      // the length if no argument sets it
	slicing []string // arguments that set the length
	sized   []string // of a connection, the fields with its items
	most    int      // maximum of items, or of bytes of a text, for estimating memory; 0 for lists without an estimate
}

// readCosts reads the directives of a schema. It panics if they are invalid, so that the program
// does not start.
func readCosts(schema *ast.Schema) *costs {
	c := &costs{schema: schema, weights: map[any]weight{}, sizes: map[*ast.FieldDefinition]size{},
		sized: map[string][]string{}}
	for _, t := range schema.Types {
		for _, v := range t.EnumValues {
			c.weigh(v, v.Directives)
		}
		for _, f := range t.Fields {
			c.weigh(f, f.Directives)
			for _, a := range f.Arguments {
				c.weigh(a, a.Directives)
			}
			list, length := directiveArguments(f.Directives, "listSize"), directiveArguments(f.Directives, "length")
			if list == nil && length == nil {
				continue
			}
			s := size{list: list != nil, assumed: int(number(list["assumedSize"])), most: int(number(length["most"]))}
			s.slicing, s.sized = names(list["slicingArguments"]), names(list["sizedFields"])
			if c.sizes[f] = s; s.sized != nil {
				c.sized[f.Type.Name()] = s.sized
			}
		}
	}
	return c
}

func (c *costs) weigh(what any, directives ast.DirectiveList) {
	cost := directiveArguments(directives, "cost")
	if cost == nil {
		return
	}
	text := cost["weight"].(string)
	w := weight{each: int(number(cost["each"])), length: text == "*length"}
	if !w.length {
		var n string
		n, w.factor = strings.CutPrefix(text, "*")
		decimal, err := strconv.ParseFloat(n, 64)
		if err != nil {
			panic(fmt.Sprintf("graph: the weight %q in the schema is not a number", text))
		}
		w.thousandths = int(math.Round(1000 * decimal))
	}
	c.weights[what] = w
}

// directiveArguments returns the arguments of a directive; nil if it is absent.
func directiveArguments(list ast.DirectiveList, name string) map[string]any {
	if d := list.ForName(name); d != nil {
		return d.ArgumentMap(nil)
	}
	return nil
}

// number returns the integer of a literal or a variable; 0 for other values.
func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

func names(list any) (out []string) {
	values, _ := list.([]any)
	for _, v := range values {
		out = append(out, v.(string))
	}
	return out
}

// ofThePage reports whether a connection's field is not a list of its items, such as its total
// count or page info, which occur once whatever the page's size.
func (c *costs) ofThePage(f *ast.Field) bool {
	items := c.sized[f.ObjectDefinition.Name]
	return items != nil && !slices.Contains(items, f.Name)
}

// length returns the length of a list by the arguments of its field, clamped so that a cost is
// never negative and does not overflow. The resolver refuses values out of range later.
func (s size) length(arguments map[string]any) int {
	for _, name := range s.slicing {
		switch v := arguments[name].(type) {
		case nil:
		case []any:
			return len(v)
		case int64:
			return int(min(max(v, 0), MaxPageSize))
		default: // a list of one
			return 1
		}
	}
	return s.assumed
}

// fieldCost returns the cost of a field without its selections, and whether the schema defines one.
func (c *costs) fieldCost(f *ast.FieldDefinition, arguments map[string]any) (cost int, priced bool) {
	w, priced := c.weights[f]
	if !priced {
		return 1, false
	}
	sum := price{thousandths: w.thousandths, factor: 1}
	for _, a := range f.Arguments {
		sum.add(c, a, a.Type, arguments[a.Name])
	}
	return sum.thousandths / 1000 * sum.factor, true
}

// price adds up the cost of a field with its arguments.
type price struct{ thousandths, factor int }

// add adds the cost of a value, by the definition of its argument, member or name, and of the
// values in it. Null, false and empty lists cost nothing.
func (s *price) add(c *costs, definition any, t *ast.Type, value any) {
	list, many := value.([]any)
	if !many {
		list = []any{value}
	}
	if value == nil || value == false || len(list) == 0 {
		return
	}
	if w, priced := c.weights[definition]; priced {
		text, isText := value.(string)
		switch {
		case w.length:
			s.factor *= min(len(list), MaxLanguages)
		case w.factor:
			s.factor *= w.thousandths / 1000
		case isText:
			s.thousandths += w.thousandths * len(text)
		default:
			s.thousandths += w.thousandths
		}
	}
	of := c.schema.Types[t.Name()]
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			for _, f := range of.Fields {
				s.add(c, f, f.Type, v[f.Name])
			}
		case string:
			if name := of.EnumValues.ForName(v); name != nil {
				s.add(c, name, t, true)
			}
		}
	}
}
