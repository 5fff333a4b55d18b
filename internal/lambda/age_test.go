package lambda

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/index"
)

func TestWarnOfAge(t *testing.T) {
	now := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ages []time.Duration
		want string // in the log; empty for no word
	}{
		{nil, ""},
		{[]time.Duration{time.Minute, 23 * time.Hour}, ""},
		{[]time.Duration{time.Minute, 23*time.Hour + time.Minute, time.Hour}, "level=WARN msg=\"the event source mapping is far behind"},
		{[]time.Duration{25 * time.Hour, 23*time.Hour + time.Minute}, "level=ERROR msg=\"the event source mapping has probably lost records"},
	} {
		records := []index.Record{{Sequence: "0"}} // of an unknown age
		for _, age := range c.ages {
			records = append(records, index.Record{Sequence: age.String(), Created: now.Add(-age)})
		}
		var out bytes.Buffer
		warnOfAge(t.Context(), slog.New(slog.NewTextHandler(&out, nil)), records, now)
		got := out.String()
		testkit.Check(t, strings.Count(got, "\n") <= 1 && (c.want == "") == (got == "") && strings.Contains(got, c.want), "%v: logged %q, want %q", c.ages, got, c.want)
	}
}
