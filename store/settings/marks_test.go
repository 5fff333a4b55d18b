package settings_test

import (
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// What is noted in a table is no comment.
func TestMarks(t *testing.T) {
	ctx := t.Context()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, st.EnsureTable(ctx, true))
	for _, state := range []string{"", "loading", "done"} {
		if state != "" {
			testkit.Must(t, st.Settings().SetNote(ctx, "demo", state))
		}
		got, err := st.Settings().Note(ctx, "demo")
		testkit.Check(t, err == nil && got == state, "got %q, %v, want %q", got, err, state)
		empty, err := st.Empty(ctx)
		testkit.Check(t, err == nil && empty, "with nothing but a mark %q: empty %v, %v", state, empty, err)
	}
	c := store.Comment{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}
	testkit.Value(st.Import(ctx, []store.Comment{c}))(t)
	empty, err := st.Empty(ctx)
	testkit.Check(t, err == nil && !empty, "with a comment: empty %v, %v", empty, err)
	got, err := st.Settings().Note(ctx, "other")
	testkit.Check(t, err == nil && got == "", "got %q, %v", got, err)
}
