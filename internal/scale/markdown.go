package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// table is a Markdown table.
type table struct {
	columns []string
	left    string // a letter for each column that is text, "-" for one of figures
	rows    [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.columns)
	rule := make([]string, len(t.columns))
	for i := range rule {
		if rule[i] = "--:"; t.left[i] != '-' {
			rule[i] = "---"
		}
	}
	line(rule)
	for _, r := range t.rows {
		line(r)
	}
	return b.String()
}

// figure writes a number with three digits that mean something.
func figure(x float64) string {
	if x == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	scale := math.Pow(10, float64(digits))
	x = math.Round(x*scale) / scale
	s := strconv.FormatFloat(x, 'f', max(0, digits), 64)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return grouped(s)
}

// many writes a large number in words.
func many(x float64) string {
	switch {
	case x >= 1e9:
		return figure(x/1e9) + " billion"
	case x >= 1e6:
		return figure(x/1e6) + " million"
	}
	return figure(x)
}

// grouped puts commas between thousands.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return whole + rest
}

// percent writes a share.
func percent(share float64) string {
	switch {
	case share <= 0:
		return "none"
	case share < 0.001:
		return "under 0.1 %"
	}
	return figure(share*100) + " %"
}

// dollars writes an amount of money.
func dollars(x float64) string {
	if x < 10 {
		return fmt.Sprintf("$%.2f", x)
	}
	return "$" + grouped(strconv.FormatFloat(math.Round(x), 'f', 0, 64))
}

// String returns the rate.
func (f found) String() string {
	if f.open {
		return "over " + figure(f.rate)
	}
	return figure(f.rate)
}

// where returns what is refused first.
func (f found) where() string {
	if f.open {
		return "nothing"
	}
	return f.first
}
