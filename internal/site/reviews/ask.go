package reviews

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

//go:embed operations/*.graphql fragments/*.graphql
var operationFiles embed.FS

// Operations returns the documents of sections and of the custom element, by their SHA-256 in
// hexadecimal digits. The manifest of a server that executes only known operations must contain
// them.
func Operations() map[string]string {
	entries, err := operationFiles.ReadDir("operations")
	if err != nil {
		panic(err) // the files are embedded
	}
	var all []string
	for _, e := range entries {
		all = append(all, operation(strings.TrimSuffix(e.Name(), ".graphql")))
	}
	return Hashed(all)
}

// Hashed returns documents by their SHA-256 in hexadecimal digits.
func Hashed(documents []string) map[string]string {
	all := make(map[string]string, len(documents))
	for _, text := range documents {
		sum := sha256.Sum256([]byte(text))
		all[hex.EncodeToString(sum[:])] = text
	}
	return all
}

// Document returns the document operations/name.graphql of a package, with the fragments that it
// spreads: the package's, and those of sections. A fragment has a file of its name.
func Document(files fs.FS, name string) string {
	text := mustRead(files, path.Join("operations", name+".graphql"))
	for _, from := range []fs.FS{files, operationFiles} {
		found, err := fs.Glob(from, "fragments/*.graphql")
		if err != nil {
			panic(err) // the pattern is valid
		}
		for _, file := range found {
			fragment := strings.TrimSuffix(path.Base(file), ".graphql")
			if strings.Contains(text, "..."+fragment+"\n") && !strings.Contains(text, "fragment "+fragment+" on ") {
				text += mustRead(from, file)
			}
		}
	}
	return text
}

func mustRead(files fs.FS, name string) string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err) // the files are embedded
	}
	return string(text)
}

func operation(name string) string { return Document(operationFiles, name) }

var (
	sectionOperation    = operation("section")
	attributesOperation = operation("attributes")
	createOperation     = operation("create")
	updateOperation     = operation("update")
	writeOperation      = operation("write")
	noticeOperation     = operation("notice")
	photosOperation     = operation("photos")
)

// Result is an answer of the API.
type Result struct {
	Data   json.RawMessage `json:"data"`
	Errors []Problem       `json:"errors"`
	Status int             `json:"-"`
	Header http.Header     `json:"-"`
}

// Problem is an error of a Result.
type Problem struct {
	Message    string `json:"message"`
	Path       []any  `json:"path"`
	Extensions struct {
		Code   string `json:"code"`
		Field  string `json:"field"`
		Reason string `json:"reason"`
	} `json:"extensions"`
}

// refused reports whether the list of comments does not fit its product or family.
func (a *Result) refused() bool {
	return slices.ContainsFunc(a.Errors, func(p Problem) bool {
		ofList := len(p.Path) >= 2 && (p.Path[1] == "comments" || len(p.Path) >= 3 && p.Path[1] == "family" && p.Path[2] == "comments")
		return ofList && p.Path[0] == "product" && p.Extensions.Code == "BAD_USER_INPUT"
	})
}

// ask executes an operation for the client of a request, as Execute does.
func (h *Handler) ask(r *http.Request, document, token string, variables map[string]any) (*Result, error) {
	return Execute(h.API, r, document, token, variables)
}

// Execute executes an operation of an API for the client of a request. An empty token means none. The
// error reports that the API gave no data. The result has the API's status and header, even with an
// error.
func Execute(api http.Handler, r *http.Request, document, token string, variables map[string]any) (*Result, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		panic(err) // variables are texts and numbers
	}
	got := Ask(api, r, http.MethodPost, "/graphql", token, body)
	a := &Result{Status: got.Status, Header: got.header}
	if err := json.Unmarshal(got.Bytes(), a); err != nil {
		return a, fmt.Errorf("the API answers %d: %w", got.Status, err)
	}
	if len(a.Data) == 0 || bytes.Equal(a.Data, []byte("null")) {
		return a, fmt.Errorf("the API answers %d: %v", got.Status, a.Errors)
	}
	return a, nil
}

// Ask sends a request to a handler of this process for the client of the request r, so the limits
// and budgets of that client apply. It sends no credentials of r, only the token, unless that is
// empty. The address is a path with a query.
func Ask(handler http.Handler, r *http.Request, method, address, token string, body []byte) *Answer {
	inner := r.Clone(r.Context())
	inner.Method, inner.RequestURI = method, address
	path, query, _ := strings.Cut(address, "?")
	inner.URL = &url.URL{Path: path, RawQuery: query}
	inner.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if token != "" {
		inner.Header.Set("Authorization", "Bearer "+token)
	}
	inner.Body, inner.ContentLength, inner.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	a := &Answer{Status: http.StatusOK, header: http.Header{}}
	handler.ServeHTTP(a, inner)
	return a
}

// Answer is an http.ResponseWriter that holds the answer in memory.
type Answer struct {
	bytes.Buffer
	Status int
	header http.Header
}

// Header implements http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *Answer) WriteHeader(status int) { a.Status = status }
