package attributes

import (
	"cmp"
	"strconv"
	"strings"
)

// sizes are the sizes of clothes, in order.
var sizes = func() map[string]int {
	places := map[string]int{}
	for i, names := range []string{"XXXS 3XS", "XXS 2XS", "XS", "S", "M", "L", "XL", "XXL 2XL", "XXXL 3XL", "4XL",
		"5XL", "6XL"} {
		for name := range strings.FieldsSeq(names) {
			places[name] = i
		}
	}
	return places
}()

// compareOptions returns the order of inferred choices: sizes of clothes by size, others in
// natural order, which compares numbers in texts by value.
func compareOptions(values map[string]int) func(a, b string) int {
	for v := range values {
		if _, ok := sizes[strings.ToUpper(v)]; !ok {
			return natural
		}
	}
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[strings.ToUpper(a)], sizes[strings.ToUpper(b)]), cmp.Compare(a, b))
	}
}

// natural compares texts part by part: numbers by their value, others by their bytes.
func natural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		i, j := run(x), run(y)
		m, bad := strconv.ParseFloat(x[:i], 64)
		n, worse := strconv.ParseFloat(y[:j], 64)
		order := cmp.Compare(x[:i], y[:j])
		if bad == nil && worse == nil {
			order = cmp.Compare(m, n)
		}
		if order != 0 {
			return order
		}
		x, y = x[i:], y[j:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// run returns the length of the first part of a non-empty text: a number such as 10 or 1.5, or
// the bytes before the next digit.
func run(s string) int {
	digit := func(i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }
	i := 0
	if !digit(0) {
		for i < len(s) && !digit(i) {
			i++
		}
		return i
	}
	for digit(i) || i < len(s) && s[i] == '.' && digit(i+1) && !strings.Contains(s[:i], ".") {
		i++
	}
	return i
}
