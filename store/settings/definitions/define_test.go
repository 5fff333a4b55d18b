package definitions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// newStore returns a store on a new table, which remembers definitions for no time.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{MetaAge: time.Nanosecond})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

var (
	fit  = attributes.Definition{Key: "fit", Type: attributes.Number, Shown: true, Position: 1}
	size = attributes.Definition{Key: "size", Type: attributes.Choice, Position: 2, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}}
	note = attributes.Definition{Key: "note", Type: attributes.Text, Position: 3, Locale: "de"}
)

// define makes definitions of product 42.
func define(t *testing.T, s *store.Store, list ...attributes.Definition) {
	t.Helper()
	defineOf(t, s, definitions.Scope{Product: "42"}, list...)
}

func defineOf(t *testing.T, s *store.Store, of definitions.Scope, list ...attributes.Definition) {
	t.Helper()
	testkit.Value(s.Attributes().Define(t.Context(), definitions.Change{Scope: of, Definitions: list}))(t)
}

// stored returns a comment's item.
func stored(t *testing.T, s *store.Store, id string) table.Item {
	t.Helper()
	it, err := s.Projector().Table().Get(t.Context(), "the comment", table.Key(key.Comment(id)))
	testkit.Need(t, err == nil && it != nil, "%v %v", it, err)
	return it
}

func create(t *testing.T, s *store.Store, product string, given ...attributes.Input) store.Comment {
	t.Helper()
	return testkit.Value(s.Create(t.Context(), store.NewComment{ProductID: product, Rating: 5, Language: "en", Attributes: given}))(t)
}

func imported(id, raw string) store.Comment {
	return store.Comment{ID: id, ProductID: "42", Rating: 4, Language: "en", CreatedAt: time.Unix(1e9, 0), Attributes: json.RawMessage(raw)}
}

func importAll(t *testing.T, s *store.Store, comments ...store.Comment) {
	t.Helper()
	testkit.Value(s.Import(t.Context(), comments))(t)
}

// Values are written with the comment, next to them the version of the definitions,
// and in the indexes the ones that lists show.
func TestValuesAreWrittenWithTheComment(t *testing.T) {
	s := newStore(t)
	define(t, s, fit, size, note)
	c := create(t, s, "42", attributes.Input{Key: "size", Value: "M"}, attributes.Input{Key: "fit", Value: "4.50"}, attributes.Input{Key: "note"})
	testkit.Equal(t, string(c.Attributes), `{"size":"M","fit":4.5}`, "it has")
	it := stored(t, s, c.ID)
	testkit.Check(t, table.Text(it, "av") == "1" && table.SameValue(it["sa"], table.M([]table.Member{{Name: "fit", Kind: 'N', Value: "4.5"}})), "it is stored as %v", it)
	page, err := s.Page(t.Context(), plan.Filter{ProductID: "42"}, store.Window{Limit: 1})
	testkit.Check(t, err == nil && string(page.Items[0].Shown) == `{"fit":4.5}` && page.Items[0].Attributes == nil, "the index has %+v, %v", page.Items, err)
	// null removes a value, others stay.
	c, err = s.Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{{Key: "fit"}, {Key: "note", Value: "Größe"}}})
	testkit.Check(t, err == nil && string(c.Attributes) == `{"size":"M","note":"Größe"}` && c.Version == 2, "it became %s, version %d, %v", c.Attributes, c.Version, err)
	if it := stored(t, s, c.ID); it["sa"] != nil {
		t.Errorf("lists still show %v", it["sa"])
	}
	c, err = s.Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{{Key: "size", Value: "M"}}})
	testkit.Check(t, err == nil && c.Version == 2, "a change that changes nothing is version %d, %v", c.Version, err)
	c, err = s.Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{{Key: "size"}, {Key: "note"}}})
	testkit.Check(t, err == nil && c.Attributes == nil && stored(t, s, c.ID)["attributes"] == nil, "without any it has %s, %v", c.Attributes, err)
	importAll(t, s, imported("i", `{"fit":3.0,"size":"XL","more":true}`))
	it = stored(t, s, "i")
	testkit.Check(t, table.Text(it, "attributes") == `{"fit":3.0,"size":"XL","more":true}` && table.Text(it, "av") == "1" && it["sa"] != nil, "imported, it is stored as %v", it)
	// Where nothing is defined, nothing is added.
	it = stored(t, s, create(t, s, "43").ID)
	testkit.Check(t, it["av"] == nil && it["sa"] == nil, "another product's comment is stored as %v", it)
}

// fields lists the fields and reasons of an error.
func fields(err error) (out []string) {
	var list errs.List
	var one *errs.Error
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = errs.List{one}
	}
	for _, e := range list {
		out = append(out, e.Field+" "+e.Reason)
	}
	return out
}

func TestAllProblemsOfValuesAreReported(t *testing.T) {
	s := newStore(t)
	define(t, s, fit, size, note)
	given := []attributes.Input{
		{Key: "fit", Value: "tight"}, {Key: "size", Value: "XL"}, {Key: "colour", Value: "red"}, {Key: "note", Value: strings.Repeat("x", 1025)},
		{Key: "fit", Value: "3"}, {Key: "note", Value: "a\u202eb"}, {Key: "colour"},
	}
	want := []string{
		"rating OUT_OF_RANGE", "attributes.0.value WRONG_TYPE", "attributes.1.value NOT_A_CHOICE", "attributes.2.key NOT_AN_ATTRIBUTE", "attributes.3.value TOO_LONG",
		"attributes.4.key CONTRADICTION", "attributes.5.key CONTRADICTION", "attributes.6.key CONTRADICTION",
	}
	_, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 6, Language: "en", Attributes: given})
	got := fields(err)
	testkit.Check(t, slices.Equal(got, want), "creating: %q", got)
	c, six := create(t, s, "42"), 6
	if _, err = s.Update(t.Context(), store.Change{ID: c.ID, Rating: &six, Attributes: given}); !slices.Equal(fields(err), want) {
		t.Errorf("changing: %q", fields(err))
	}
	_, err = s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: "en", Attributes: []attributes.Input{{Key: "note", Value: "a\u202eb"}}})
	got = fields(err)
	testkit.Check(t, slices.Equal(got, []string{"attributes.0.value BAD_CHARACTER"}), "a hidden direction: %q", got)
	_, err = s.Create(t.Context(), store.NewComment{ProductID: "43", Rating: 5, Language: "en", Attributes: given[:1]})
	got = fields(err)
	testkit.Check(t, slices.Equal(got, []string{"attributes.0.key NOT_AN_ATTRIBUTE"}), "a product without attributes: %q", got)
	many := make([]attributes.Definition, 100)
	values := make([]attributes.Input, len(many))
	for i := range many {
		many[i] = attributes.Definition{Key: fmt.Sprint("k", i), Type: attributes.Text}
		values[i] = attributes.Input{Key: many[i].Key, Value: strings.Repeat("x", 1000)}
	}
	defineOf(t, s, definitions.Scope{Product: "44"}, many...)
	_, err = s.Create(t.Context(), store.NewComment{ProductID: "44", Rating: 5, Language: "en", Attributes: values})
	got = fields(err)
	testkit.Check(t, slices.Equal(got, []string{"attributes TOO_LONG"}), "100 KB: %q", got)
}

// A change that may take values says of which attributes, and makes it when it is asked to.
func TestAChangeSaysWhatMayNotConvert(t *testing.T) {
	s := newStore(t)
	defs := s.Attributes()
	importAll(t, s, imported("1", `{"fit":3,"size":"S"}`), imported("2", `{"fit":"4","size":"M"}`), imported("3", `{"fit":"tight","size":"S"}`), imported("4", `{}`))
	define(t, s, fit, size) // what never converted is no loss
	asText := fit
	asText.Type = attributes.Text
	define(t, s, asText, size)
	only := size
	only.Options = size.Options[1:]
	change := definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{fit, only}}
	lost, err := defs.Define(t.Context(), change)
	want := []string{"fit", "size"}
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && slices.Equal(lost, want) && strings.Contains(err.Error(), `"fit", "size"`), "%v, %v", lost, err)
	if d, err := defs.Definitions(t.Context(), "42"); err != nil || d.Get("fit").Type != attributes.Text || d.Version() != "2" {
		t.Errorf("refused, it is %+v of %q, %v", d.Get("fit"), d.Version(), err)
	}
	change.Force = true
	lost, err = defs.Define(t.Context(), change)
	testkit.Check(t, err == nil && slices.Equal(lost, want), "forced: %v, %v", lost, err)
	d, err := defs.Definitions(t.Context(), "42")
	testkit.Need(t, err == nil && d.Version() == "3" && len(d.Get("size").Options) == 1, "%+v, %v", d.List(), err)
	// The value is still there for the next change.
	if c, err := s.Get(t.Context(), "3"); err != nil || string(c.Attributes) != `{"fit":"tight","size":"S"}` || len(d.Values(c.Attributes)) != 0 {
		t.Errorf("it has %s, %v", c.Attributes, err)
	}
	old, err := defs.DefinitionsAt(t.Context(), "42", "1")
	testkit.Check(t, err == nil && old.Get("fit").Type == attributes.Number && len(old.Get("size").Options) == 2, "the first version is %+v, %v", old, err)
	change.Definitions = nil
	lost, err = defs.Define(t.Context(), change)
	testkit.Check(t, err == nil && slices.Equal(lost, want), "removing all: %v, %v", lost, err)
	if d, err := defs.Definitions(t.Context(), "42"); err != nil || d.Any() || d.Version() == "" {
		t.Errorf("%+v, %v", d.List(), err)
	}
}

// Another locale may take dates.
func TestAChangeOfDates(t *testing.T) {
	s := newStore(t)
	importAll(t, s, imported("1", `{"worn":"13-03-2026"}`), imported("2", `{"worn":"2026-03-13"}`))
	worn := attributes.Definition{Key: "worn", Type: attributes.Date, Locale: "en-GB"}
	define(t, s, worn)
	worn.Locale = "en-US"
	lost, err := s.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{worn}})
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && slices.Equal(lost, []string{"worn"}), "lost %+v, %v", lost, err)
}

// A product inherits its group's definitions, and both say what is to be brought along.
func TestGroups(t *testing.T) {
	s := newStore(t)
	defs := s.Attributes()
	if d, err := defs.Definitions(t.Context(), "42"); err != nil || d.Any() {
		t.Errorf("%+v, %v", d, err)
	}
	shoes, boots := definitions.Scope{Group: "shoes"}, definitions.Scope{Group: "boots"}
	defineOf(t, s, shoes, fit, size)
	defineOf(t, s, boots, note)
	own := fit
	own.Type = attributes.Text
	define(t, s, own)
	for _, group := range []string{"boots", "shoes", "shoes"} {
		testkit.Must(t, defs.Assign(t.Context(), definitions.Assignment{Product: "42", Group: group}))
	}
	d, err := defs.Definitions(t.Context(), "42")
	if err != nil || d.Version() != "1.1.2.shoes" || d.Get("fit").Type != attributes.Text || d.Get("size").Group != "shoes" || d.Get("note") != nil {
		t.Errorf("%q has %+v, %v", d.Version(), d.List(), err)
	}
	for group, want := range map[definitions.Scope][]string{shoes: {"42"}, boots: nil} {
		var got []string
		err := defs.Products(t.Context(), group, func(p string) error { got = append(got, p); return nil })
		testkit.Check(t, err == nil && slices.Equal(got, want), "%s has %q, %v", group, got, err)
	}
	importAll(t, s, imported("1", `{"fit":"tight","size":"S"}`))
	testkit.Equal(t, table.Text(stored(t, s, "1"), "av"), "1.1.2.shoes", "it was written under")
	// Its own definition instead of the group's takes values, too.
	shadow := size
	shadow.Type, shadow.Options = attributes.Number, nil
	lost, err := defs.Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{own, shadow}})
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && slices.Equal(lost, []string{"size"}), "%v, %v", lost, err)
	lost, err = defs.Define(t.Context(), definitions.Change{Scope: shoes})
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && slices.Equal(lost, []string{"fit", "size"}), "%v, %v", lost, err)
	err = defs.Assign(t.Context(), definitions.Assignment{Product: "42"})
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && strings.Contains(err.Error(), `values of "size" may`), "taken out of its group: %v", err)
	testkit.Must(t, defs.Assign(t.Context(), definitions.Assignment{Product: "42", Force: true}))
	if d, err := defs.Definitions(t.Context(), "42"); err != nil || d.Version() != "1.0.3." || len(d.List()) != 1 {
		t.Errorf("alone it has %+v, %v", d.List(), err)
	}
	var fills []string
	if err := s.Projector().Table().Each(t.Context(), key.Partition{Index: key.Table, Value: key.AttributeFills}, func(it table.Item) error {
		fills = append(fills, table.Text(it, key.SK))
		return nil
	}); err != nil || !slices.Equal(fills, []string{key.AttributeGroup("boots"), key.AttributeGroup("shoes"), key.Product("42")}) {
		t.Errorf("to be brought along is %q, %v", fills, err)
	}
}

// Of two changes at once one is a conflict.
func TestDefinitionsAreNotOverwritten(t *testing.T) {
	s := newStore(t)
	results := make(chan error)
	for i := range 2 {
		go func() {
			_, err := s.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{{Key: fmt.Sprint("k", i), Type: attributes.Text}}, Force: true})
			results <- err
		}()
	}
	won := 0
	for range 2 {
		if err := <-results; err == nil {
			won++
		} else if errs.CodeOf(err) != errs.Conflict {
			t.Error(err)
		}
	}
	d, err := s.Attributes().Definitions(t.Context(), "42")
	testkit.Check(t, err == nil && won != 0 && len(d.List()) == 1, "%d won, there are %+v, %v", won, d.List(), err)
}

func TestAllProblemsOfDefinitionsAreReported(t *testing.T) {
	long := strings.Repeat("x", 101)
	for _, c := range []struct {
		change definitions.Change
		want   []string
	}{
		{definitions.Change{}, []string{"productId REQUIRED"}},
		{definitions.Change{Scope: definitions.Scope{Product: "42", Group: "g"}}, []string{"group CONTRADICTION"}},
		{definitions.Change{Scope: definitions.Scope{Group: "a\u200bb"}}, []string{"group BAD_CHARACTER"}},
		{definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: make([]attributes.Definition, 401)}, []string{"definitions TOO_MANY"}},
		{definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{
			{Key: "", Type: attributes.Text}, {Key: "~helpful", Type: attributes.Text}, {Key: long, Type: "COLOUR"}, {Key: "a", Type: attributes.Choice},
			{Key: "a", Type: attributes.Number, Locale: "de", Address: true, Options: []attributes.Option{{Value: "1"}}}, {Key: "b", Type: attributes.Text, Locale: "?", Address: true, Labels: []attributes.Label{{Language: "xx", Text: ""}}},
			{Key: "c", Type: attributes.Choice, Options: []attributes.Option{{Value: "1"}, {Value: "1"}, {Value: long, Labels: []attributes.Label{{Language: "iw", Text: "a"}, {Language: "he", Text: "b"}}}}},
			{Key: "d", Type: attributes.Text, Unit: "l", Scale: &attributes.Scale{Maximum: 5}}, {Key: "e", Type: attributes.Number, Unit: long[:21], Scale: &attributes.Scale{Minimum: 5, Maximum: 5}},
			{Key: "f", Type: attributes.Number, Unit: strings.Repeat("é", 20), Scale: &attributes.Scale{Minimum: -2, Maximum: 2}}, {Key: "g", Type: attributes.Number, Unit: "a\nb"},
		}}, []string{
			"definitions.0.key REQUIRED", "definitions.1.key BAD_CHARACTER", "definitions.2.key TOO_LONG", "definitions.2.type WRONG_TYPE", "definitions.3.choices REQUIRED",
			"definitions.4.choices CONTRADICTION", "definitions.4.address CONTRADICTION", "definitions.4.locale CONTRADICTION", "definitions.4.key CONTRADICTION",
			"definitions.5.labels.0.language NOT_A_LANGUAGE", "definitions.5.labels.0.label REQUIRED", "definitions.5.locale NOT_A_LANGUAGE",
			"definitions.6.choices.1.value CONTRADICTION", "definitions.6.choices.2.value TOO_LONG", "definitions.6.choices.2.labels.1.language CONTRADICTION",
			"definitions.7.unit CONTRADICTION", "definitions.7.scale CONTRADICTION", "definitions.8.unit TOO_LONG", "definitions.8.scale.maximum OUT_OF_RANGE", "definitions.10.unit BAD_CHARACTER",
		}},
	} {
		got := fields(c.change.Problems())
		testkit.Check(t, slices.Equal(got, c.want), "%+v: %q", c.change.Scope, got)
	}
}
