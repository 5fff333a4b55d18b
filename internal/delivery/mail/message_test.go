package mail

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// What people and shops name themselves is shown as text, and makes neither headers nor links.
func TestHostileNames(t *testing.T) {
	w := writer(t)
	for name, want := range map[string]string{
		"Bo":                           "Bo",
		"Zoë Ω":                        "Zoë Ω",
		`<b>Bo</b> & "Al"`:             `<b>Bo</b> & "Al"`,
		"<script>alert(1)</script>":    "<script>alert(1)</script>",
		"{{.OptOut}} {shop}":           "{{.OptOut}} {shop}",
		"Bo\r\nBcc: eve":               "Bo Bcc: eve",
		"Bo\r\n\r\nHello":              "Bo Hello",
		"Bo\x00\x07\u202e\u200b":       "Bo",
		"=?utf-8?q?Bo=0D=0ABcc:_eve?=": "=?utf-8?q?Bo=0D=0ABcc:_eve?=",
		"\xff\xfeBo":                   "Bo",
		"J. R. Smith, Jr.":             "J. R. Smith, Jr.",
		strings.Repeat("ü", 5000):      strings.Repeat("ü", maxName),
		"Win at evil.example/x":        "",
		"https://evil.example":         "",
		"eve@evil.example":             "",
		" \t\r\n":                      "",
	} {
		m := Example("en")
		m.To.Name, m.Order = name, name
		m.Products[0].Name = name + "!"
		content, err := w.Write(m, time.Now())
		testkit.Need(t, err == nil, "%q: %v", name, err)
		header, text, html := parsed(t, content)
		to := testkit.Value(header.AddressList("To"))(t)
		testkit.Check(t, len(to) == 1 && to[0].Name == want && to[0].Address == m.To.Email, "%q: To is %q", name, header.Get("To"))
		testkit.Check(t, header.Get("Bcc") == "" && len(header) == 12, "%q: the headers are %q", name, header)
		testkit.Check(t, !strings.Contains(html, "<b>") && !strings.Contains(html, "<script"), "%q is HTML: %s", name, html)
		testkit.Check(t, !strings.Contains(text, "\nBcc") && !strings.ContainsAny(text+html, "\x00\a\u202e\u200b"), "%q has what cannot be seen: %q", name, text)
		testkit.Check(t, strings.Contains(text, strings.TrimSuffix("Hello "+want, " ")+","), "%q: it begins %.50q", name, text)
	}
	from := testkit.Value(NewWriter("reviews@shop.example", "", "Söhne & Co\r\nBcc: eve@evil.example", "", w.templates))(t)
	header, _, html := parsed(t, testkit.Value(from.Write(Example("de"), time.Now()))(t))
	testkit.Check(t, decoded(t, header.Get("Subject")) == "Wie gefällt Ihnen Ihr Einkauf bei Söhne & Co Bcc: eve@evil.example?" && header.Get("Bcc") == "", "%q", header)
	testkit.Check(t, strings.Contains(html, "Söhne &amp; Co Bcc"), "%s", html)
	for _, bad := range [][2]string{{"reviews", ""}, {"", ""}, {"a@b.example, c@d.example", ""}, {"a@b.example\r\nBcc: c@d.example", ""}, {"a@b.example", "help"}} {
		testkit.Check(t, testkit.Err(NewWriter(bad[0], bad[1], "", "", w.templates)) != nil, "%q is a sender", bad)
	}
}

// Only links that others on the way cannot change are in mails; of the readers, pictures of others
// learn nothing.
func TestLinks(t *testing.T) {
	w := writer(t)
	for address, want := range map[string]bool{
		"https://shop.example/a?b=c": true, "http://127.0.0.1:8080/a": true, "http://localhost/a": true,
		"http://shop.example/a": false, "javascript:alert(1)": false, "//shop.example/a": false, "/a": false, "": false,
		"data:image/png;base64,AA": false, "https:///a": false, "https://shop.example/a b": false, "https://shop.example/>\r\nBcc: a": false,
		"https://shop.example/<a>": false, "https://shöp.example/": false, "https://shop.example/" + strings.Repeat("a", maxAddress): false,
	} {
		m := Example("en")
		m.Products[0].Image = address
		content := testkit.Value(w.Write(m, time.Now()))(t)
		_, _, html := parsed(t, content)
		testkit.Equal(t, strings.Count(html, "<img") == 1, want, "%q as picture", address)
		for _, change := range []func(*Message){func(m *Message) { m.OptOut = address }, func(m *Message) { m.Products[1].Write = address }} {
			m := Example("en")
			change(m)
			_, err := w.Write(m, time.Now())
			testkit.Equal(t, err == nil, want, "%q as link", address)
		}
	}
	for name, change := range map[string]func(*Message){
		"the id of a mail": func(m *Message) { m.ID = "a\r\nBcc: b" },
		"no product":       func(m *Message) { m.Products = nil },
		"to":               func(m *Message) { m.To.Email = "alice@example.org\r\nBcc: b@c.org" },
	} {
		m := Example("en")
		change(m)
		testkit.Fails(t, testkit.Err(w.Write(m, time.Now())), name)
		var failed *Error
		err := (&Folder{w, t.TempDir()}).Send(t.Context(), m)
		testkit.Check(t, errors.As(err, &failed) && failed.Permanent(), "%s: %v", name, err)
	}
}

// Templates are replaced one by one, and one that cannot be used says where.
func TestTemplates(t *testing.T) {
	for name, c := range map[string]struct{ file, content, says string }{
		"other page":       {"mail.html", `<p>{{.Text "hello"}} {{range .Products}}{{.Write}} {{end}}{{.OptOut}}`, ""},
		"other words":      {"de.json", `{"texts": {"hello": "Moin {name},"}}`, ""},
		"syntax":           {"mail.html", "<p>\n{{.Text", "mail.html:2: unclosed action"},
		"syntax of text":   {"mail.txt", "\n\n{{end}}", "mail.txt:3: unexpected {{end}}"},
		"unknown":          {"mail.txt", "\n{{.Hallo}}", "mail.txt:2:2: executing"},
		"escaping":         {"mail.html", "\n<a href='{{.OptOut}}", "ends in a non-text context"},
		"unknown words":    {"mail.txt", "\n{{.Text \"bye\"}}", `mail.txt" at <.Text>: error calling Text: there is no text "bye" in en.json`},
		"no opting out":    {"mail.html", `{{range .Products}}{{.Write}}{{end}}`, "mail.html does not show the link https://reviews.example/write/stop/"},
		"one product":      {"mail.txt", `{{(index .Products 0).Write}} {{.OptOut}}`, "mail.txt does not show the link https://reviews.example/write/Zm9yLXByb2R1Y3QtNDM"},
		"JSON":             {"fr.json", "{\n\"texts\": {\n\"hello\": 5}}", "fr.json:3: "},
		"broken JSON":      {"fr.json", "{\n\"texts\"\n", "fr.json:3: "},
		"unknown member":   {"fr.json", "{\n\"text\": {}}", "fr.json:2: "},
		"empty words":      {"fr.json", `{"texts": {"subject": ""}}`, `there is no text "subject" in fr.json`},
		"misspelt file":    {"mail.htm.html", "", "mail.htm.html replaces no template: name it mail.html, mail.txt or as a language"},
		"unknown language": {"nl.json", "{}", "nl.json replaces no template"},
		"of no concern":    {"README", "Our mails.", ""},
	} {
		dir := t.TempDir()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.content), 0o600))
		got, err := LoadTemplates(dir)
		if c.says != "" {
			testkit.Fails(t, err, c.says)
			testkit.Check(t, err != nil && strings.Contains(err.Error(), filepath.Join(dir, c.file)), "%s: %v", name, err)
			continue
		}
		testkit.Need(t, err == nil, "%s: %v", name, err)
		_, text, html, err := got.render("Shop", Example("de"))
		testkit.Must(t, err)
		testkit.Equal(t, strings.Contains(text, "Moin Alice Example,"), c.file == "de.json", "%s: other words", name)
		testkit.Equal(t, strings.HasPrefix(html, "<p>Guten Tag Alice"), c.file == "mail.html", "%s: another page", name)
	}
	testkit.Fails(t, testkit.Err(LoadTemplates(filepath.Join(t.TempDir(), "none"))), "no such file")
}

// Each language says everything that English does, with the same placeholders.
func TestSentences(t *testing.T) {
	all := testkit.Value(templates())(t).sentences
	holders := func(text string) (found []string) {
		for _, h := range []string{"{shop}", "{order}", "{name}", "{n}"} {
			if strings.Contains(text, h) {
				found = append(found, h)
			}
		}
		return found
	}
	for i, s := range all {
		testkit.Check(t, len(s.Texts) == len(all[0].Texts) && s.Direction == map[bool]string{true: "rtl", false: "ltr"}[languages[i] == "ar"], "%s: %d texts, %q", languages[i], len(s.Texts), s.Direction)
		for key, text := range s.Texts {
			testkit.Check(t, slices.Equal(holders(text), holders(all[0].Texts[key])), "%s: %s has %q", languages[i], key, text)
		}
	}
}

// Mails in a folder are read as they were sent, the newest first.
func TestFolder(t *testing.T) {
	f := &Folder{writer(t), filepath.Join(t.TempDir(), "outbox")}
	got, err := List(f.Dir, 10)
	testkit.Check(t, err == nil && len(got) == 0, "%v, %v", got, err)
	for _, tag := range []string{"en", "ja", "ar"} {
		testkit.Must(t, f.Send(t.Context(), Example(tag)))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(f.Dir, "new-1"), nil, 0o600)) // as a crash leaves it
	got, err = List(f.Dir, 2)
	testkit.Need(t, err == nil && len(got) == 2, "%v, %v", got, err)
	for i, tag := range []string{"ar", "ja"} {
		subject, text, html, err := f.templates.render("Example Shop", Example(tag))
		testkit.Must(t, err)
		testkit.Check(t, got[i].Subject == subject && got[i].To == `"Alice Example" <alice@example.org>` && time.Since(got[i].At) < time.Minute, "%+v", got[i])
		unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		testkit.Check(t, unix(got[i].HTML) == html && unix(got[i].Text) == text, "%s: %+v", tag, got[i])
	}
	testkit.Equal(t, got[0].File[:4] >= "2026" && strings.HasSuffix(got[0].File, "Z-"+Example("ar").ID+".eml"), true, "the name %s", got[0].File)
	info := testkit.Value(os.Stat(filepath.Join(f.Dir, got[0].File)))(t)
	testkit.Equal(t, info.Mode().Perm(), 0o600, "the mode")
	f.Dir = filepath.Join(f.Dir, "new-1") // a file
	var failed *Error
	testkit.Check(t, errors.As(f.Send(t.Context(), Example("en")), &failed) && !failed.Permanent(), "a folder that cannot be written")
}
