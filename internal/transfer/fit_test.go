package transfer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
)

// If it cannot be known how attributes fit, the import ends, and goes on with the lines of
// which it was not known.
func TestFitFails(t *testing.T) {
	o, st := place(t), newMemory()
	o.window = 20
	var content strings.Builder
	for i := range 100 {
		content.WriteString(lineOf(i, "x"))
	}
	write(t, "a", content.String())
	calls := 0
	o.Fit = func(_ context.Context, comments []store.Comment) ([]store.Fit, error) {
		if calls++; calls == 3 {
			return nil, errors.New("failed")
		}
		fits := make([]store.Fit, len(comments))
		fits[1].Problem = errs.Invalid("attributes.fit", "it is no number")
		return fits, nil
	}
	var stopped *StopError
	if sum, err := Import(t.Context(), st, []string{"a"}, o); !errors.As(err, &stopped) || stopped.Line != 40 || sum.Written != 38 {
		t.Fatalf("%+v, %v", sum, err)
	}
	sum := testkit.Value(Import(t.Context(), st, []string{"a"}, o))(t)
	testkit.Check(t, sum.Written == 95 && sum.Refused == 5 && strings.Count(read(t, "a.rejects.ndjson"), "it is no number") == 5, "%+v", sum)
}
