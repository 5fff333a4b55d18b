package transfer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// A typing error in a name is told with how often it was met, also by an import
// that goes on; strictly it refuses the line.
func TestUnknownMembers(t *testing.T) {
	o := place(t)
	o.window = 2
	var content strings.Builder
	for i := range 5 {
		line := lineOf(i, "x")
		if i != 2 {
			line = strings.Replace(line, `"text"`, `"Text"`, 1)
		}
		if i > 3 {
			line = strings.Replace(line, `{`, `{"shelf":{"a":1},"shelf":2,`, 1)
		}
		content.WriteString(line)
	}
	write(t, "a", content.String())
	st := newMemory()
	st.stopAt(1)
	if _, err := Import(t.Context(), st, []string{"a"}, o); err == nil {
		t.Fatal("it did not stop")
	}
	var told bytes.Buffer
	o.Progress = &told
	sum, err := Import(t.Context(), st, []string{"a"}, o)
	testkit.Need(t, err == nil && sum.Refused == 0 && sum.Files[0].ResumedAfter == 2, "%v %v", sum, err)
	testkit.Equal(t, fmt.Sprint(sum.Files[0].Unknown), "map[Text:4 shelf:1]", "unknown members")
	want := `a: 4 lines with a member "Text", which no field has, so it is left out; is "text" meant?` + "\n" +
		`a: 1 line with a member "shelf", which no field has, so it is left out` + "\n"
	testkit.Check(t, strings.HasSuffix(told.String(), want), "told %s", &told)

	o.Strict = true
	sum, err = Import(t.Context(), newMemory(), []string{"a"}, o)
	testkit.Need(t, err == nil && sum.Refused == 4 && sum.Written == 1, "%v %v", sum, err)
	got := read(t, "a.rejects.ndjson")
	testkit.Check(t, strings.Contains(got, `{"file":"a","line":1,"field":"Text","reason":"no field has this name; is \"text\" meant?"`), "rejects: %s", got)
}

// However many names there are, few are kept.
func TestUnknownMembersAreBounded(t *testing.T) {
	u := unknown{}
	for i := range 5000 {
		u.add(fmt.Sprint("name ", i%2500, strings.Repeat("x", 1000)), 1)
	}
	u = unknown(nil).with(u)
	sum := int64(0)
	for name, n := range u {
		sum += n
		testkit.Check(t, len(name) <= 4*longestName, "a name has %d bytes", len(name))
	}
	testkit.Check(t, len(u) <= mostUnknown+1 && sum == 5000, "%d names, %d lines", len(u), sum)
}

// What lines lack comes from the defaults. Other defaults are another import.
func TestDefaults(t *testing.T) {
	o := place(t)
	stopped(t, o)
	write(t, "b", strings.ReplaceAll(lineOf(1, "x")+lineOf(2, "x"), `"language":"en",`, ""))
	if sum, err := Import(t.Context(), newMemory(), []string{"b"}, o); err != nil || sum.Refused != 2 {
		t.Fatal(sum, err)
	}
	o.Defaults = map[string]string{"language": "pt_br", "createdAt": "2020-01-02"}
	st := newMemory()
	sum, err := Import(t.Context(), st, []string{"b", "a"}, o)
	testkit.Need(t, err == nil && sum.Written == 30 && sum.Replaced == 2 && sum.Files[1].ResumedAfter == 0, "%v %v", sum, err)
	write(t, "c", strings.ReplaceAll(lineOf(99, "x"), `"language":"en",`, ""))
	if _, err := Import(t.Context(), st, []string{"c"}, o); err != nil || !strings.Contains(st.comments["c-00099"], `"language":"pt-BR","createdAt":"2026`) {
		t.Errorf("got %s, %v", st.comments["c-00099"], err)
	}
	for field, text := range map[string]string{"language": "English", "Language": "en", "commentId": "a", "attributes": "{}", "rating": "6"} {
		o.Defaults = map[string]string{field: text}
		_, err := Import(t.Context(), st, []string{"b"}, o)
		testkit.Check(t, err != nil && strings.HasPrefix(err.Error(), field+": "), "%s=%s: %v", field, text, err)
	}
}
