package requests

import (
	"context"
	"time"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Month is what happened to requests in a month of UTC.
type Month struct {
	Month                                                             string // such as 2026-11
	SentCount, OpenedCount, AnsweredCount, OptedOutCount, FailedCount int
}

// counts returns the counts by the attributes of a month's item, N.
func (m *Month) counts() table.Fields {
	return table.Fields{"sent": &m.SentCount, "opened": &m.OpenedCount, "answered": &m.AnsweredCount, "optedOut": &m.OptedOutCount, "failed": &m.FailedCount}
}

func monthOf(at time.Time) string { return at.UTC().Format("2006-01") }

// add returns the write that adds one to a count of the month.
func add(count string, now time.Time) table.Write {
	return table.Write{Key: table.Key(key.RequestMonth(monthOf(now))), Update: "ADD #n :one",
		Names: map[string]string{"#n": count}, Values: table.Item{":one": table.N(1)}}
}

// Months reads the newest months, the newest first, also those without requests.
func (r *Requests) Months(ctx context.Context, most int) ([]Month, error) {
	all, keys := make([]Month, most), make([]table.Item, most)
	now := r.t.Now().UTC()
	for i := range all {
		all[i].Month = monthOf(time.Date(now.Year(), now.Month()-time.Month(i), 1, 0, 0, 0, 0, time.UTC))
		keys[i] = table.Key(key.RequestMonth(all[i].Month))
	}
	err := r.t.GetMany(ctx, keys, true, func(it table.Item) error {
		for i := range all {
			if key.RequestMonth(all[i].Month) == table.Text(it, key.PK) {
				return table.Read(it, all[i].counts())
			}
		}
		return nil
	})
	return all, err
}
