package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
)

func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := Options{To: &out}.Begin(Work{Name: "verify", Unit: "items", Total: 6000})
		for _, n := range []int64{1000, 2000, 1500, 3000, 9000} {
			time.Sleep(3 * time.Second)
			b.Set(n)
		}
		b.Step("again", 10)
		time.Sleep(time.Minute)
		b.Step("again", 600)
		b.End(true)
		want := "verify: 2,000 items of about 6,000 (33 %, 12s left)\n" +
			"verify: 3,000 items of about 6,000 (50 %, 12s left)\n" +
			"verify: again\n" + "verify: 600 items of about 6,000 (10 %, 9m0s left)\n"
		testkit.Equal(t, out.String(), want, "got\n%swant", &out)
		out.Reset()
		b = Options{To: &out}.Begin(Work{Name: "pack", Unit: "items"})
		time.Sleep(time.Minute)
		b.Set(5)
		testkit.Check(t, out.String() == "pack: 5 items\n", "got %s", &out)
		b = Options{}.Begin(Work{Name: "nowhere"})
		b.Set(1)
		b.End(false)
	})
}

func TestBar(t *testing.T) {
	for _, total := range []int64{0, 2000} {
		var out bytes.Buffer
		b := Options{To: &out, Terminal: true}.Begin(Work{Name: "copy", Unit: "items", Total: total})
		b.Step("first", 1000)
		b.Step("second", 2000)
		b.End(true)
		got := out.String()
		testkit.Check(t, strings.Contains(got, "copy, second") && strings.HasSuffix(got, "\n") && (total > 0) == strings.Contains(got, "100%"), "of %d: %q", total, got)
	}
}
