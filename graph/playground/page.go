package playground

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"time"
)

// page is a rendered HTML page.
type page struct {
	status int
	etag   string
	body   []byte
}

// renderPage fills in one of the templates of the folder page. That happens
// once: nothing in it depends on the request.
func renderPage(name string, status int, files map[string]file, endpoint string, tabs []Tab, token string) page {
	asset := func(name string) (string, error) {
		f, ok := files[name]
		if !ok {
			return "", fmt.Errorf("no file %s to link to", name)
		}
		return f.url(), nil
	}
	t := template.Must(template.New(name).
		Funcs(template.FuncMap{"asset": asset}).
		ParseFS(pageFiles, path.Join("page", name)))

	var body bytes.Buffer
	list, err := json.Marshal(tabs)
	if err != nil {
		panic(err) // strings always can be marshalled
	}
	data := struct{ Endpoint, Tabs, Token, EndCursor string }{endpoint, string(list), token, EndCursor}
	if err := t.Execute(&body, data); err != nil {
		panic(err) // template and data are both ours, and a test renders them
	}
	return page{status: status, etag: `"` + newFile(name, body.Bytes()).hash + `"`, body: body.Bytes()}
}

// ServeHTTP answers with the page, or with 304 when the browser has it.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[".html"])
	if p.status != http.StatusOK {
		// Gone with the next build, so nobody should remember it.
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(p.status)
		_, _ = w.Write(p.body) // net/http drops the body of a HEAD
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", p.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
}
