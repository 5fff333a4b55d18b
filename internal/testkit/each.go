package testkit

import (
	"fmt"
	"strings"
)

// Each joins what a format makes of 0 to n-1, such as fields of a document.
func Each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+" ", i)
	}
	return b.String()
}
