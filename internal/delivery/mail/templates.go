package mail

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"
)

//go:embed templates
var embedded embed.FS

// languages are the languages of mails. The first is the default.
var languages = []string{"en", "de", "fr", "es", "it", "ja", "ar"}

// matcher finds the nearest of them.
var matcher = func() language.Matcher {
	var tags []language.Tag
	for _, name := range languages {
		tags = append(tags, language.MustParse(name))
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
	if err := known(dir); err != nil {
		return nil, err
	}
	html, htmlAt, err := content(dir, "mail.html")
	if err != nil {
		return nil, err
	}
	text, textAt, err := content(dir, "mail.txt")
	if err != nil {
		return nil, err
	}
	t := &Templates{}
	if t.html, err = htmltemplate.New(htmlAt).Parse(string(html)); err != nil {
		return nil, err // it names the file and the line
	}
	if t.text, err = template.New(textAt).Parse(string(text)); err != nil {
		return nil, err
	}
	for _, tag := range languages {
		var s sentences
		var sentencesAt string
		for _, from := range []string{"", dir} {
			var text []byte
			if text, sentencesAt, err = content(from, tag+".json"); err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &s, json.RejectUnknownMembers(true)); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", sentencesAt, lineOf(text, err), err)
			}
		}
		t.sentences = append(t.sentences, s)
		for _, reminder := range []bool{false, true} {
			m := Example(tag)
			m.Reminder = reminder
			_, text, html, err := t.render("Example Shop", m)
			if err != nil {
				return nil, fmt.Errorf("the mail in %s by %s, %s and %s: %w", tag, htmlAt, textAt, sentencesAt, err)
			}
			// What a mail must have: without the link to opt out, it must not be sent.
			for _, link := range []string{m.OptOut, m.Products[0].Write, m.Products[1].Write} {
				for at, content := range map[string]string{htmlAt: html, textAt: text} {
					if !strings.Contains(content, link) {
						return nil, fmt.Errorf("%s does not show the link %s: it needs {{.OptOut}}, and {{.Write}} of each product", at, link)
					}
				}
			}
		}
	}
	return t, nil
}

// content returns a file of dir, or of the program, and where it is.
func content(dir, name string) (text []byte, at string, err error) {
	if dir != "" {
		at = filepath.Join(dir, name)
		if text, err = os.ReadFile(at); !errors.Is(err, fs.ErrNotExist) {
			return text, at, err
		}
	}
	text, err = embedded.ReadFile("templates/" + name)
	return text, name, err
}

// known returns an error for a file of dir that replaces none, as its name may be misspelt.
func known(dir string) error {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		_, unknown := fs.Stat(embedded, "templates/"+e.Name())
		if ext := filepath.Ext(e.Name()); unknown != nil && (ext == ".html" || ext == ".txt" || ext == ".json") {
			return fmt.Errorf("%s replaces no template: name it mail.html, mail.txt or as a language, such as en.json, or move it", filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// lineOf returns the line of a text that an error of JSON is about.
func lineOf(text []byte, err error) int {
	var offset int64
	if syntax := new(jsontext.SyntacticError); errors.As(err, &syntax) {
		offset = syntax.ByteOffset
	} else if semantic := new(json.SemanticError); errors.As(err, &semantic) {
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

// view is what templates show.
type view struct {
	*Message
	Tag       string
	Direction string
	Shop      string
	Subject   string
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

// render returns the subject of a message and its two forms.
func (t *Templates) render(shop string, m *Message) (subject, text, html string, err error) {
	_, i := language.MatchStrings(matcher, m.Language)
	v := &view{Message: m, Tag: languages[i], Direction: t.sentences[i].Direction, Shop: shop, Ratings: [5]int{1, 2, 3, 4, 5}, texts: t.sentences[i].Texts}
	key := "subject"
	if m.Reminder {
		key = "subjectAgain"
	}
	if v.Subject, err = v.Text(key); err != nil {
		return "", "", "", err
	}
	var texts, htmls strings.Builder
	err = cmp.Or(t.text.Execute(&texts, v), t.html.Execute(&htmls, v))
	return v.Subject, texts.String(), htmls.String(), err
}
