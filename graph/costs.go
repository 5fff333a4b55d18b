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
	MaxPageSize = 100 // the most that first and last may be
	MaxIDs      = 100 // the most ids that nodes and products take
	// MaxLanguages is the most languages that a filter names: each is partitions of
	// its own.
	MaxLanguages = 10
)

// costs are what the schema's directives say of costs and sizes.
type costs struct {
	schema  *ast.Schema
	weights map[any]weight // of definitions of fields, arguments, and values of enums
	sizes   map[*ast.FieldDefinition]size
	sized   map[string][]string // of connections' types, the fields that are their items
}

// weight is what @cost says.
type weight struct {
	thousandths int
	factor      bool // it multiplies
	length      bool // it multiplies by the length of the list
	each        int  // of each item of the list
}

// size is what @listSize and @length say.
type size struct {
	list    bool     // it has @listSize
	assumed int      // its length where no argument has it
	slicing []string // the arguments that may have its length
	sized   []string // of a connection, the fields that are its items
	most    int      // items, or bytes of a text, for which memory is kept: a list without takes none
}

// readCosts reads the directives of a schema. It panics where they cannot be read, which a
// start of the program shows.
func readCosts(schema *ast.Schema) *costs {
	c := &costs{schema: schema, weights: map[any]weight{}, sizes: map[*ast.FieldDefinition]size{}, sized: map[string][]string{}}
	for _, t := range schema.Types {
		for _, v := range t.EnumValues {
			c.weigh(v, v.Directives)
		}
		for _, f := range t.Fields {
			c.weigh(f, f.Directives)
			for _, a := range f.Arguments {
				c.weigh(a, a.Directives)
			}
			list, length := given(f.Directives, "listSize"), given(f.Directives, "length")
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
	cost := given(directives, "cost")
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

// given returns the arguments of a directive, nil without it.
func given(list ast.DirectiveList, name string) map[string]any {
	if d := list.ForName(name); d != nil {
		return d.ArgumentMap(nil)
	}
	return nil
}

// number returns an integer as literals and variables have it, 0 if it is none.
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

// ofThePage reports whether a field is a connection's, and not a list of its items: its
// total count or page info, which a page has once whatever its size.
func (c *costs) ofThePage(f *ast.Field) bool {
	items := c.sized[f.ObjectDefinition.Name]
	return items != nil && !slices.Contains(items, f.Name)
}

// length returns how long a list is by the arguments of its field, so clamped that a cost is
// never negative and does not overflow. The resolver refuses what is out of range later.
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

// own returns what a field costs without what is selected below it, and whether the schema
// says so.
func (c *costs) own(f *ast.FieldDefinition, arguments map[string]any) (cost int, priced bool) {
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

// price adds up what a field costs with its arguments.
type price struct{ thousandths, factor int }

// add adds what a value costs, as the definition of its argument, member or name says, and
// the values in it. Null, false and empty lists cost nothing.
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
