package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"
)

//go:embed templates
var embedded embed.FS

const htmlFile, textFile = "mail.html", "mail.txt"

// languages are the languages of mails. The first is the default.
var languages = []string{"en", "de", "fr", "es", "it", "ja", "ar"}

// matcher finds the nearest of them.
var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(languages))
	for i, name := range languages {
		tags[i] = language.MustParse(name)
	}
	return language.NewMatcher(tags)
}()

// Templates are what mails look like, and their sentences by language.
type Templates struct {
	html      *htmltemplate.Template
	text      *template.Template
	sentences []sentences // as languages
}

// sentences are the texts of mails in a language, with placeholders such as {shop}.
type sentences struct {
	Direction string            `json:"direction"` // ltr or rtl
	Texts     map[string]string `json:"texts"`
}

// LoadTemplates returns the templates of the program; a file in dir replaces the one of the same name,
// and one of a language the sentences that it has. All are tried with an example. dir may be empty.
func LoadTemplates(dir string) (*Templates, error) {
	t := &Templates{}
	content := func(name string) (text []byte, where string, err error) {
		if dir != "" {
			where = filepath.Join(dir, name)
			if text, err = os.ReadFile(where); !errors.Is(err, fs.ErrNotExist) {
				return text, where, err
			}
		}
		text, err = embedded.ReadFile("templates/" + name)
		return text, name, err
	}
	err := known(dir)
	if err != nil {
		return nil, err
	}
	html, htmlAt, err := content(htmlFile)
	if err != nil {
		return nil, err
	}
	if t.html, err = htmltemplate.New(htmlFile).Parse(string(html)); err != nil {
		return nil, fmt.Errorf("%s: %w", htmlAt, err)
	}
	text, textAt, err := content(textFile)
	if err != nil {
		return nil, err
	}
	if t.text, err = template.New(textFile).Parse(string(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", textAt, err)
	}
	for _, name := range languages {
		var s sentences
		own, at, err := content(name + ".json")
		if err != nil {
			return nil, err
		}
		original, err := embedded.ReadFile("templates/" + name + ".json")
		if err != nil {
			return nil, err
		}
		for _, text := range [][]byte{original, own} {
			if err := json.Unmarshal(text, &s, json.RejectUnknownMembers(true)); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", at, lineOf(text, err), err)
			}
		}
		t.sentences = append(t.sentences, s)
		for _, reminder := range []bool{false, true} {
			m := Example(name)
			m.Reminder = reminder
			if err := t.try(m); err != nil {
				return nil, fmt.Errorf("the mail in %s by %s, %s and %s: %w", name, htmlAt, textAt, at, err)
			}
		}
	}
	return t, nil
}

// known returns an error for a file of dir that replaces none, as its name may be misspelt.
func known(dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{htmlFile, textFile}
	for _, l := range languages {
		names = append(names, l+".json")
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == ".html" || ext == ".txt" || ext == ".json") && !slices.Contains(names, e.Name()) {
			return fmt.Errorf("%s replaces no template: name it as one of %s, or move it", filepath.Join(dir, e.Name()), strings.Join(names, ", "))
		}
	}
	return nil
}

// lineOf returns the line of a text that an error of JSON is about.
func lineOf(text []byte, err error) int {
	var offset int64
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
	} else if errors.As(err, &semantic) {
		offset = semantic.ByteOffset
	}
	return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n"))
}

// Example returns a message to try templates with.
func Example(tag string) *Message {
	return &Message{ID: "01JZ8Q6V7N3K5T9W2X4Y6Z8A0BA", To: Address{"alice@example.org", "Alice Example"}, Language: tag, Order: "2026-1001",
		Products: []Product{
			{"Trail backpack 30 l", "https://shop.example/pictures/42.jpg", "https://reviews.example/write/Zm9yLXByb2R1Y3QtNDI"},
			{"Steel bottle", "", "https://reviews.example/write/Zm9yLXByb2R1Y3QtNDM"},
		}, OptOut: "https://reviews.example/write/stop/Zm9yLWFsaWNl"}
}

// try renders an example. What a mail must have, people need: without the link to opt out it must not
// be sent.
func (t *Templates) try(m *Message) error {
	_, text, html, err := t.render("Example Shop", m)
	if err != nil {
		return err
	}
	for _, link := range []string{m.OptOut, m.Products[0].Write, m.Products[1].Write} {
		for file, content := range map[string]string{htmlFile: html, textFile: text} {
			if !strings.Contains(content, link) {
				return fmt.Errorf("%s does not show the link %s: it needs {{.OptOut}}, and {{.Write}} of each product", file, link)
			}
		}
	}
	return nil
}

// view is what templates show.
type view struct {
	*Message
	Tag       string
	Direction string
	Shop      string
	Ratings   [5]int
	texts     map[string]string
}

// Text returns a sentence of the language.
func (v *view) Text(key string, more ...string) (string, error) {
	text := v.texts[key]
	if text == "" {
		return "", fmt.Errorf("there is no text %q in %s.json", key, v.Tag)
	}
	name, shop, order := v.To.Name, v.Shop, v.Order
	if v.Direction == "rtl" { // isolated (UAX #9): the order 2026-1001 would be shown as 1001-2026
		name, shop, order = "\u2068"+name+"\u2069", "\u2068"+shop+"\u2069", "\u2066"+order+"\u2069"
	}
	return strings.NewReplacer(append(more, "{name}", name, "{shop}", shop, "{order}", order)...).Replace(text), nil
}

// Stars returns the name of a rating.
func (v *view) Stars(n int) (string, error) { return v.Text("stars", "{n}", fmt.Sprint(n)) }

// Hello returns the greeting.
func (v *view) Hello() (string, error) {
	if v.To.Name == "" {
		return v.Text("helloAnyone")
	}
	return v.Text("hello")
}

// Subject returns the subject.
func (v *view) Subject() (string, error) {
	if v.Reminder {
		return v.Text("subjectAgain")
	}
	return v.Text("subject")
}

// render returns the subject of a message and its two forms.
func (t *Templates) render(shop string, m *Message) (subject, text, html string, err error) {
	_, i := language.MatchStrings(matcher, m.Language)
	v := &view{m, languages[i], t.sentences[i].Direction, shop, [5]int{1, 2, 3, 4, 5}, t.sentences[i].Texts}
	if subject, err = v.Subject(); err != nil {
		return "", "", "", err
	}
	run := func(by interface{ Execute(io.Writer, any) error }) string {
		var b bytes.Buffer
		err = errors.Join(err, by.Execute(&b, v))
		return b.String()
	}
	return subject, run(t.text), run(t.html), err
}
