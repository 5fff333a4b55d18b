package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/server/admission"
	"product-comments/store/errs"
	"product-comments/store/read/cache"
)

const (
	persistedQuery   = "persistedQuery" // name of the extension
	idMember         = "id"             // sent by Relay's clients
	documentIDMember = "documentId"     // from the GraphQL over HTTP specification

	// Apollo's and urql's clients resend the request with its document after one of these codes.
	codePersistedQueryNotFound    = "PERSISTED_QUERY_NOT_FOUND"
	messagePersistedQueryNotFound = "PersistedQueryNotFound"
)

// persistedQueries are documents that clients name by id or by SHA-256 (Apollo's protocol of
// automatic persisted queries). They come from a manifest, which does not change, and from
// clients. A cache holds the clients' documents, so a client never displaces a document of the
// manifest.
//
// gqlgen's extension.AutomaticPersistedQuery is unsuitable: it caches documents of any size,
// before they are parsed, and its errors have no code, so they would be internal errors here.
type persistedQueries struct {
	manifest   Manifest
	only       bool                         // only operations of the manifest may run
	registered *cache.Cache[string, string] // hash → document
	lookups    *prometheus.CounterVec       // by result
}

const (
	registeredBytes = 8 << 20 // of all documents together that clients registered
	largestCached   = 8 << 10 // bytes of one of them
	registeredFor   = 365 * 24 * time.Hour

	found, unknown = "found", "unknown" // results of lookups
)

func newPersistedQueries(manifest Manifest, only bool) *persistedQueries {
	lookups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "product_comments_persisted_queries_total",
		Help: "Requests with only the id or hash of their document.",
	}, []string{"result"})
	for _, result := range []string{found, unknown} {
		lookups.WithLabelValues(result)
	}
	return &persistedQueries{
		manifest: manifest, only: only,
		registered: cache.New(cache.Options[string, string]{
			MaxBytes: registeredBytes,
			Size:     func(hash, document string) int { return len(hash) + len(document) },
		}),
		lookups: lookups,
	}
}

// resolve adds the document to the params of a request that has only its id or hash, and reports
// whether it did. If a request has both, it checks that they match. Errors are of type *admission.Rejection.
func (p *persistedQueries) resolve(params *params) (byID bool, err error) {
	hash, err := p.hash(params.Extensions)
	if err != nil {
		return false, err
	}
	id := params.id
	if hash != "" {
		if err := id.set(hashField, hash); err != nil {
			return false, err
		}
	}
	switch {
	case id.value == "" && params.Query == "":
		return false, admission.Malformed("query", "the request has no query: send query, or the extension persistedQuery")
	case params.Query != "":
		return false, p.check(params.Query, id)
	}
	document, ok := p.manifest[id.value]
	if !ok && !p.only {
		document, ok = p.registered.Get(id.value)
	}
	if !ok {
		p.lookups.WithLabelValues(unknown).Inc()
		return false, &admission.Rejection{Why: errs.Refuse(codePersistedQueryNotFound, "persisted_query_not_found", messagePersistedQueryNotFound)}
	}
	p.lookups.WithLabelValues(found).Inc()
	params.Query = document
	return true, nil
}

// check refuses a document that does not match its id or that may not run.
func (p *persistedQueries) check(document string, id idParameter) error {
	if id.value != "" && hashOf(document) != id.value {
		if known, ok := p.manifest[id.value]; !ok || known != document {
			return admission.Malformed(id.name, "it is not the SHA-256 of the query")
		}
	}
	if p.only && !p.manifest.has(document) {
		return &admission.Rejection{Why: errs.Refuse(errs.Forbidden, "not_in_manifest",
			"This server executes only the operations of its manifest, and this document is not one of them: send the id of an operation of the manifest")}
	}
	return nil
}

// register stores the document of a request that also has its hash. The document must be valid, so
// that no client can fill the memory with arbitrary text.
func (p *persistedQueries) register(params *params) {
	hash, err := p.hash(params.Extensions)
	if err != nil || !isHash(hash) || p.only || len(params.Query) > largestCached || p.manifest.has(params.Query) {
		return
	}
	document := strings.Clone(params.Query) // a substring of the query string would keep all of it in memory
	p.registered.Set(hash, document, time.Now().Add(registeredFor))
}

const (
	extensionField = "extensions." + persistedQuery
	versionField   = extensionField + ".version"
	hashField      = extensionField + ".sha256Hash"
)

// hash reads the extension {version: 1, sha256Hash}; an id of the manifest is also accepted as the
// hash. It returns an empty string if the request has no such extension.
func (p *persistedQueries) hash(extensions map[string]any) (string, error) {
	extension := extensions[persistedQuery]
	if extension == nil {
		return "", nil
	}
	members, ok := extension.(map[string]any)
	if !ok {
		return "", admission.Malformed(extensionField, "it must be an object")
	}
	if version, _ := members["version"].(json.Number); version != "1" {
		return "", admission.Malformed(versionField, "it must be 1: other versions are not supported")
	}
	hash, _ := members["sha256Hash"].(string)
	if _, known := p.manifest[hash]; !known && !isHash(hash) {
		return "", admission.Malformed(hashField, "it must be the SHA-256 of the query: 64 hexadecimal digits in lower case")
	}
	return hash, nil
}

// idParameter names a document. The zero value names none.
type idParameter struct {
	name  string // of the parameter
	value string // an id of the manifest, or a SHA-256
}

const (
	longestID = 200 // bytes
	// hashPrefix begins ids that are a SHA-256 (GraphQL over HTTP, appendix on persisted
	// documents).
	hashPrefix = "sha256:"
)

// set sets the parameter, which may be empty. Errors are of type *admission.Rejection.
func (i *idParameter) set(name, value string) error {
	if value == "" {
		return nil
	}
	if len(value) > longestID {
		return admission.Reject(http.StatusBadRequest, name, errs.Exceeds("id_length", int64(len(value)), longestID, "it has %d bytes, the limit is %d"))
	}
	value = strings.TrimPrefix(value, hashPrefix)
	if i.value != "" && i.value != value {
		return admission.Malformed(name, "it is not the hash of %s", i.name)
	}
	i.name, i.value = name, value
	return nil
}

// isHash reports whether a text is a SHA-256 in hexadecimal digits.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}
