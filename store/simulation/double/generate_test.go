package double

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes the expressions of one request at random: of few attributes
// and few values, so that what is compared is often equal.
type generator struct {
	*rand.Rand
	names  map[string]string
	values item
}

func newGenerator(r *rand.Rand) *generator {
	return &generator{Rand: r}
}

// attributes besides the keys, whose names tell their usual type.
var attributes = []string{"xn", "xs", "xm", "xb"}

// plain spells an attribute's name, or a placeholder for it.
func (g *generator) plain(name string) string {
	if g.IntN(3) > 0 {
		return name
	}
	placeholder := "#" + name
	if g.names == nil {
		g.names = map[string]string{}
	}
	g.names[placeholder] = name
	return placeholder
}

// literal returns a placeholder for a value.
func (g *generator) literal(v value) string {
	if g.values == nil {
		g.values = item{}
	}
	placeholder := fmt.Sprintf(":v%d", len(g.values))
	g.values[placeholder] = v
	return placeholder
}

// place spells a path.
func (g *generator) place() string { return g.plain(pick(g.Rand, attributes...)) }

// other spells another path than one given.
func (g *generator) other(path string) string {
	other := pick(g.Rand, attributes...)
	if strings.TrimPrefix(path, "#") == other {
		return g.literal(g.any(1))
	}
	return other
}

func (g *generator) number() value {
	return num(pick(g.Rand, "0", "1", "2", "3", "-1", "1.5", "10", "1E2", "0.10"))
}

func (g *generator) text() value { return str(pick(g.Rand, "a", "ab", "b", "ba", "")) }

// value returns a value that an attribute usually has.
func (g *generator) value(attribute string, depth int) value {
	switch attribute {
	case "xn":
		return g.number()
	case "xs":
		return g.text()
	case "xm":
		m := item{}
		for _, name := range []string{"a", "b"} {
			if g.IntN(3) > 0 {
				m[name] = g.any(depth + 1)
			}
		}
		return &document{Value: m}
	default:
		return pick[value](g.Rand, &boolean{Value: true}, &boolean{}, &binary{Value: []byte{1, 2}})
	}
}

// any returns a value of any type, not nested too deeply.
func (g *generator) any(depth int) value {
	if depth > 2 {
		return pick(g.Rand, g.number(), g.text())
	}
	return g.value(pick(g.Rand, attributes...), depth)
}

// like returns a value as a path usually has it.
func (g *generator) like(path string) value {
	name := strings.TrimPrefix(path, "#")
	for _, attribute := range attributes {
		if name == attribute && g.IntN(8) > 0 {
			return g.value(attribute, 0)
		}
	}
	return g.any(1)
}

// condition spells a condition.
func (g *generator) condition(depth int) string {
	if depth < 3 && g.IntN(3) == 0 {
		switch g.IntN(3) {
		case 0:
			return "(" + g.condition(depth+1) + ")"
		case 1:
			return g.condition(depth+1) + " AND " + g.condition(depth+1)
		default:
			return g.condition(depth+1) + " OR " + g.condition(depth+1)
		}
	}
	switch n := g.IntN(8); n {
	case 6:
		low := g.IntN(3)
		return g.plain("xn") + " BETWEEN " + g.literal(num(low)) + " AND " + g.literal(num(low+g.IntN(3)))
	case 7:
		scalar := g.plain(pick(g.Rand, "xn", "xs"))
		return scalar + " " + pick(g.Rand, "<", "<=", ">", ">=") + " " + g.literal(pick(g.Rand, g.number(), str("ab")))
	default:
		return g.about(g.place(), n)
	}
}

// about spells a condition about a path.
func (g *generator) about(path string, kind int) string {
	switch kind {
	case 0, 1:
		return "attribute_exists(" + path + ")"
	case 2, 3:
		return "attribute_not_exists(" + path + ")"
	case 4:
		return path + " IN (" + g.literal(g.like(path)) + ", " + g.literal(g.like(path)) + ", " + g.other(path) + ")"
	default:
		return path + " " + pick(g.Rand, "=", "<>") + " " + g.literal(g.like(path))
	}
}

// update spells an update, most often one that fits the usual types.
func (g *generator) update() string {
	var set, remove, add []string
	for _, attribute := range attributes {
		if g.IntN(4) > 0 {
			continue
		}
		path := g.plain(attribute)
		switch kind := g.IntN(4); {
		case kind == 0:
			remove = append(remove, path)
		case kind == 1 && attribute == "xn":
			add = append(add, path+" "+g.literal(g.number()))
		case kind == 2:
			set = append(set, path+" = "+g.place())
		default:
			set = append(set, path+" = "+g.literal(g.value(attribute, 0)))
		}
	}
	for _, index := range []string{"GP", "GS", "kn"} {
		switch g.IntN(6) {
		case 0:
			v := g.indexValue(index)
			set = append(set, index+" = "+g.literal(v))
		case 1:
			remove = append(remove, index)
		}
	}
	out := ""
	for _, clause := range []struct {
		word  string
		parts []string
	}{{"SET", set}, {"REMOVE", remove}, {"ADD", add}} {
		if len(clause.parts) > 0 {
			out += clause.word + " " + strings.Join(clause.parts, ", ") + " "
		}
	}
	if out == "" {
		return "SET xn = " + g.literal(g.number())
	}
	return out
}

// indexValue returns a value for a key attribute of an index.
func (g *generator) indexValue(attribute string) value {
	switch attribute {
	case "GP":
		return str(pick(g.Rand, "p", "q"))
	case "GS":
		return str(pick(g.Rand, "1", "2", "22", "3"))
	default:
		return g.number()
	}
}

// key returns the key of one of few items.
func (g *generator) key() item {
	return item{"PK": str(pick(g.Rand, "a", "b", "c")), "SK": str(pick(g.Rand, "1", "11", "2", "3"))}
}

// item returns an item with some of the attributes.
func (g *generator) item() item {
	it := g.key()
	for _, attribute := range attributes {
		if g.IntN(2) == 0 {
			it[attribute] = g.value(attribute, 0)
		}
	}
	for _, attribute := range []string{"GP", "GS", "kn"} {
		if g.IntN(3) > 0 {
			it[attribute] = g.indexValue(attribute)
		}
	}
	return it
}
