package double

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"product-comments/internal/engine/dynamo"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// str and num are attribute values.
func str(s string) value { return &text{Value: s} }
func num(n any) value    { return &number{Value: fmt.Sprint(n)} }

// spell writes an item in one way, whatever form its numbers have.
func spell(it item) string {
	if it == nil {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(it)) {
		parts = append(parts, name+"="+spellValue(it[name]))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

func spellValue(v value) string {
	switch v := v.(type) {
	case *text:
		return strconv.Quote(v.Value)
	case *number:
		d, err := dynamo.ParseNumber(v.Value)
		if err != nil {
			return "bad number " + v.Value
		}
		return d.String()
	case *binary:
		return fmt.Sprintf("b%q", v.Value)
	case *boolean:
		return fmt.Sprint(v.Value)
	}
	return spell(v.(*document).Value)
}

// spellAll spells items in the given order.
func spellAll(items []map[string]value) string {
	lines := make([]string, len(items))
	for i, it := range items {
		lines[i] = spell(it)
	}
	return strings.Join(lines, "\n")
}

// spellSet spells items in one order, for where the order means nothing.
func spellSet(items []map[string]value) string {
	lines := strings.Split(spellAll(items), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
