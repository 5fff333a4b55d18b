package store_test

import (
	"strings"
	"testing"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// project brings what is derived up to date, as a projector does.
func project(t testing.TB, s *store.Store) {
	t.Helper()
	storetest.Project(t, s.Projector())
}

// statisticsItems returns the sort keys of all statistics items of the table, but for
// those that count nothing and expire.
func statisticsItems(t testing.TB, s *store.Store) []string {
	t.Helper()
	var found []string
	eachItem(t, s.Table(), func(it table.Item) {
		total, err := table.Number(it, "count_total")
		must(t, err)
		expires := it["count_total"] != nil && total == 0 && it["expires"] != nil
		if sk := table.Text(it, key.SK); strings.HasPrefix(sk, "S") && !expires {
			found = append(found, partitionOf(it)+" "+sk)
		}
	})
	return found
}
