package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// columns returns a table with the one next to it.
func columns(t *testing.T) *table.Table {
	t.Helper()
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s.Projector().Table()
}

// entry is an entry of a column with a number and a member of a map.
func entry(in key.Partition, sort string, n int) table.Item {
	it := table.ColumnKey(in.Value, sort)
	it["n"] = table.N(n)
	it["sa"] = &types.AttributeValueMemberM{Value: table.Item{"fit": table.N(n)}}
	return it
}

// A transaction changes items of both tables, or none.
func TestTransactionOfBothTables(t *testing.T) {
	tb := columns(t)
	ctx := t.Context()
	in := key.ColumnValues("42", "size")
	beside := func(sort string, n int) table.Write { return table.Write{In: key.Columns, Put: entry(in, sort, n)} }
	put := table.Key("META#x")
	testkit.Must(t, tb.Transact(ctx, "write", beside("\x01a", 1), table.Write{Put: put, If: table.Absent}))
	err := tb.Transact(ctx, "write", beside("\x01b", 2), table.Write{Key: put, If: table.Absent})
	_, refused := table.IsRefused(err)
	testkit.Check(t, refused, "got %v, want refused", err)
	testkit.Must(t, tb.Transact(ctx, "write",
		table.Write{Key: put, If: table.Exists},
		table.Write{In: key.Columns, Key: table.ColumnKey(in.Value, "\x01a"), Delete: true}, beside("\x01c", 3)))
	var found []string
	testkit.Must(t, tb.Each(ctx, in, func(it table.Item) error {
		found = append(found, string(table.Bytes(it, key.SK)))
		return nil
	}))
	testkit.Check(t, slices.Equal(found, []string{"\x01c"}), "got %q", found)
	if it, err := tb.Columns().Get(ctx, "an entry", table.ColumnKey(in.Value, "\x01c")); err != nil || it == nil {
		t.Errorf("got %v, %v", it, err)
	}
}

// sorts gathers the sort keys of an answer.
type sorts struct{ keys []string }

func (s *sorts) Expect(int) { s.keys = nil }
func (s *sorts) Attribute(name string, kind byte, value string) error {
	if name == key.SK && kind == 'B' {
		s.keys = append(s.keys, value)
	}
	return nil
}
func (s *sorts) EndItem() error { return nil }

// A stretch of a column is read between any bounds, in both directions, from any
// place on, with a filter on what entries carry.
func TestStretchOfAColumn(t *testing.T) {
	tb := columns(t)
	ctx := t.Context()
	in := key.ColumnValues("42", "size")
	all := []string{"\x00", "\x01", "\x01\x00", "\x01\xff", "a", "b\x00c", "b\xff", "\xfe\xff"}
	for i, sort := range all {
		testkit.Must(t, tb.Write(ctx, "write", table.Write{In: key.Columns, Put: entry(in, sort, i)}))
	}
	names := table.NewNames(key.SK)
	for from := -1; from < len(all); from += 3 {
		for to := from + 2; to <= len(all); to += 3 {
			for _, descending := range []bool{false, true} {
				for _, paged := range []bool{false, true} {
					q := table.Query{Partition: in, Descending: descending, Consistent: true}
					least, most := "", ""
					if from >= 0 {
						least = all[from] + "\x00\x00"
					}
					if to < len(all) {
						most = all[to-1] + "\x00\x00"
					}
					begin := least
					if q.Until = most; descending {
						begin, q.Until = most, least
					}
					if begin != "" {
						q.After = in.StartKey(begin, "")
					}
					if paged {
						q.Limit = 1
					}
					var got []string
					for {
						var rows sorts
						a, err := tb.QueryRows(ctx, q, names, &rows)
						testkit.Need(t, err == nil, "%+v: %v", q, err)
						got = append(got, rows.keys...)
						if a.Next == "" {
							break
						}
						q.After = map[string]string{key.PK: in.Value, key.SK: a.Next}
					}
					// Nothing is at a bound, so those here lie just behind one.
					want := slices.DeleteFunc(slices.Sorted(slices.Values(all)), func(s string) bool { return s <= least || most != "" && s >= most })
					if descending {
						slices.Reverse(want)
					}
					testkit.Check(t, slices.Equal(got, want), "%d to %d, descending %v: got %q, want %q", from, to, descending, got, want)
				}
			}
		}
	}
	q := table.Query{Partition: in, Filter: "#n >= :least", Names: map[string]string{"#n": "n"}, Values: table.Item{":least": table.N(6)}, After: map[string]string{key.PK: in.Value, key.SK: "\x00\x00"}, Until: "\xfe\xff"}
	var rows sorts
	if a, err := tb.QueryRows(ctx, q, names, &rows); err != nil || len(rows.keys) != 1 || a.Evaluated != 6 {
		t.Errorf("got %q, %+v, %v", rows.keys, a, err)
	}
}

// A table of a version without columns gets the one next to it by an upgrade.
func TestUpgradeMakesColumns(t *testing.T) {
	client, name := storetest.Client(t), storetest.TableName(t)
	testkit.Value(client.CreateTable(t.Context(), store.Design().Definition(name)))(t)
	s := store.New(client, name, store.Options{})
	if err := s.EnsureTable(t.Context(), false); err == nil || !strings.Contains(err.Error(), "table upgrade") {
		t.Errorf("got %v", err)
	}
	u := &table.Upgrade{API: client, Table: name, Design: store.Design()}
	steps, err := u.Steps(t.Context())
	testkit.Need(t, err == nil && len(steps) != 0 && strings.HasPrefix(steps[0].What, "make table "+name+"-columns"), "got %+v, %v", steps, err)
	testkit.Must(t, u.Make(t.Context(), steps[0]))
	testkit.Must(t, s.EnsureTable(t.Context(), false))
	other := storetest.TableName(t)
	for _, in := range []*dynamodb.CreateTableInput{store.Design().Definition(other), store.Design().Definition(table.ColumnsName(other))} {
		testkit.Value(client.CreateTable(t.Context(), in))(t)
	}
	if err := store.New(client, other, store.Options{}).EnsureTable(t.Context(), true); err == nil || !strings.Contains(err.Error(), "attribute SK has type S, not B") {
		t.Errorf("a second table of another form: %v", err)
	}
}
