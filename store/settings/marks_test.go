package settings_test

import (
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// What is noted in a table is no comment.
func TestMarks(t *testing.T) {
	ctx := t.Context()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	if err := st.EnsureTable(ctx, true); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"", "loading", "done"} {
		if state != "" {
			if err := st.Settings().Mark(ctx, "demo", state); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := st.Settings().Marked(ctx, "demo"); err != nil || got != state {
			t.Errorf("got %q, %v, want %q", got, err, state)
		}
		if empty, err := st.Empty(ctx); err != nil || !empty {
			t.Errorf("with nothing but a mark %q: empty %v, %v", state, empty, err)
		}
	}
	c := store.Comment{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}
	if _, err := st.Import(ctx, []store.Comment{c}); err != nil {
		t.Fatal(err)
	}
	if empty, err := st.Empty(ctx); err != nil || empty {
		t.Errorf("with a comment: empty %v, %v", empty, err)
	}
	if got, err := st.Settings().Marked(ctx, "other"); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}
