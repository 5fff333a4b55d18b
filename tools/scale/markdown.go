package main

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// markdown is a Markdown table.
type markdown struct{ strings.Builder }

// newTable starts a table. kinds has a letter for a text column, "-" for a number column. Columns
// are separated by " | ".
func newTable(kinds, columns string) *markdown {
	t := &markdown{}
	rule := strings.NewReplacer("-", "| --: ", "a", "| --- ").Replace(kinds)
	fmt.Fprintf(t, "| %s |\n%s|\n", columns, rule)
	return t
}

// row adds cells, with formatted numbers.
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

var english = message.NewPrinter(language.English)

// figure formats a number with three significant digits.
func figure(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return english.Sprint(number.Decimal(rounded, number.MaxFractionDigits(6)))
}

// dollars formats an amount of money.
func dollars(x float64) string {
	if x < 10 {
		return fmt.Sprintf("$%.2f", x)
	}
	return english.Sprintf("$%.0f", x)
}
