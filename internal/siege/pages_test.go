//go:build linux

package siege

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var costOf = regexp.MustCompile(`"cost":\{"complexity":(\d+),"readUnits":([\d.]+)`)

// cost returns what an answer says of its cost.
func (a answer) cost() (complexity int, readUnits float64, found bool) {
	m := costOf.FindSubmatch(a.last)
	if m == nil {
		return 0, 0, false
	}
	complexity, _ = strconv.Atoi(string(m[1]))
	readUnits, _ = strconv.ParseFloat(string(m[2]), 64)
	return complexity, readUnits, true
}

// mostReadUnits is what one request may read: --max-read-units, and what a read that
// was begun below it may add.
const mostReadUnits = 2500 + 60

// Pages are priced by what is read, and what one request reads has a limit that is
// charged while it reads.
func TestReadingHasABudget(t *testing.T) {
	s := attacked(t)
	texts := `{products(ids:["long-0"` + strings.Repeat(`,"long-1"`, 20) + `]){comments(first:100){nodes{text}}}}`
	apart := func(n int) string { // each reads on its own
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `a%d:product(id:"long-%d"){comments(first:%d){nodes{text}}}`, i, i%longProducts, 99-i/longProducts)
		}
		return "{" + b.String() + "}"
	}
	bounded := func(a answer) error {
		if _, units, found := a.cost(); found && units > mostReadUnits {
			return fmt.Errorf("it read %v units, the most is %v", units, mostReadUnits)
		}
		return nil
	}
	priced := func(a answer) error {
		if cost, units, found := a.cost(); !found || float64(cost) < units {
			return fmt.Errorf("it cost %d and read %v units", cost, units)
		}
		return nil
	}
	withstands(t, s,
		attack{"a page of nothing but names", query(`{product(id:"wide"){comments(first:100){__typename}}}`), priced},
		attack{"21 products with 100 texts each", query(texts), bounded},
		attack{"the same apart", query(apart(21)), bounded},
		attack{"many pages", query("{product(id:42){" + repeated("comments(first:1,ratings:[1,3,5]){pageInfo{hasNextPage}}", 200) + "}}"), bounded},
	)
}
