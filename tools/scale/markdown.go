package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// markdown is a table.
type markdown struct{ strings.Builder }

// newTable begins a table. Of kinds, a letter is for a column that is text, "-"
// for one of figures. Names of columns are separated by " | ".
func newTable(kinds, columns string) *markdown {
	t := &markdown{}
	rule := strings.NewReplacer("-", "| --: ", "a", "| --- ").Replace(kinds)
	fmt.Fprintf(t, "| %s |\n%s|\n", columns, rule)
	return t
}

// row adds cells, spelling numbers as figures, and an empty one as nothing.
func (t *markdown) row(cells ...any) {
	for _, x := range cells {
		if number, ok := x.(float64); ok {
			x = figure(number)
		}
		if x == "" {
			x = "nothing"
		}
		fmt.Fprintf(t, "| %v ", x)
	}
	t.WriteString("|\n")
}

// figure is a number that is written with three digits that mean something.
type figure float64

func (f figure) String() string {
	if f == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(float64(f)))))
	scale := math.Pow(10, float64(digits))
	s := strconv.FormatFloat(math.Round(float64(f)*scale)/scale, 'f', max(0, digits), 64)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return grouped(s)
}

// many is a large number, written in words.
type many float64

func (x many) String() string {
	switch {
	case x >= 1e9:
		return figure(x/1e9).String() + " billion"
	case x >= 1e6:
		return figure(x/1e6).String() + " million"
	}
	return figure(x).String()
}

// grouped puts commas between thousands.
func grouped(s string) string {
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "."
	}
	return whole + rest
}

// share is written in percent.
type share float64

func (s share) String() string {
	switch {
	case s <= 0:
		return "none"
	case s < 0.001:
		return "under 0.1 %"
	}
	return figure(s*100).String() + " %"
}

// dollars is an amount of money.
type dollars float64

func (d dollars) String() string {
	if d < 10 {
		return fmt.Sprintf("$%.2f", float64(d))
	}
	return "$" + grouped(fmt.Sprintf("%.0f", float64(d)))
}
