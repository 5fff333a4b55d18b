package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	persistedQuery = "persistedQuery" // the extension's name

	// Apollo's and urql's clients send the document when they see one of these.
	codePersistedQueryNotFound    = "PERSISTED_QUERY_NOT_FOUND"
	messagePersistedQueryNotFound = "PersistedQueryNotFound"
)

// persistedQueries are documents that clients name by their SHA-256 (Apollo's
// protocol of automatic persisted queries). They come from a manifest, which does
// not change, and from clients, whose documents are in a cache of their own: if it
// is full they displace each other, never those of the manifest.
//
// gqlgen's extension.AutomaticPersistedQuery does not fit: it keeps documents of
// any size, and before they were parsed. Its errors about a request have no code,
// so they would be internal errors here.
type persistedQueries struct {
	manifest       Manifest
	registered     *lru.Cache[string, string] // hash → document
	found, unknown prometheus.Counter
}

// registeredQueries bounds how many documents clients can register. Each has at
// most largestCached bytes, so all of them take at most 8 MB.
const registeredQueries = 1000

func newPersistedQueries(manifest Manifest) *persistedQueries {
	registered, err := lru.New[string, string](registeredQueries)
	if err != nil {
		panic(err) // only for a size of zero, and it is a constant above
	}
	lookups := func(result string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{
			Name:        "product_comments_persisted_queries_total",
			Help:        "Requests that named their document by its hash alone and were not answered from the response cache.",
			ConstLabels: prometheus.Labels{"result": result},
		})
	}
	return &persistedQueries{
		manifest: manifest, registered: registered,
		found: lookups("found"), unknown: lookups("unknown"),
	}
}

// resolve adds the document to the params of a request that has only its hash, and
// reports whether it did. If a request has both, it checks that they match. Errors
// are of type *badRequest.
func (p *persistedQueries) resolve(params *graphql.RawParams) (byHash bool, err error) {
	hash, err := persistedHash(params.Extensions)
	switch {
	case err != nil:
		return false, err
	case hash == "" && params.Query == "":
		return false, malformed("query", "the request has no query")
	case hash == "":
		return false, nil
	case params.Query != "":
		if hashOf(params.Query) != hash {
			return false, malformed(hashField, "%s is not the SHA-256 of the query", hashField)
		}
		return false, nil
	}
	document, ok := p.manifest[hash]
	if !ok {
		document, ok = p.registered.Get(hash)
	}
	if !ok {
		p.unknown.Inc()
		return false, &badRequest{code: codePersistedQueryNotFound, message: messagePersistedQueryNotFound}
	}
	p.found.Inc()
	params.Query = document
	return true, nil
}

// register keeps the document of a request that has its hash too. The document must
// have been validated, so that no client can fill the memory with useless text.
func (p *persistedQueries) register(params *graphql.RawParams) {
	hash, err := persistedHash(params.Extensions)
	if err != nil || hash == "" || len(params.Query) > largestCached {
		return
	}
	if _, known := p.manifest[hash]; known {
		return
	}
	p.registered.Add(hash, strings.Clone(params.Query)) // it may be a part of a query string, which would stay in memory as a whole
}

const (
	extensionField = "extensions." + persistedQuery
	versionField   = extensionField + ".version"
	hashField      = extensionField + ".sha256Hash"
)

// persistedHash reads the extension {version: 1, sha256Hash}. It returns "" if the
// request has none.
func persistedHash(extensions map[string]any) (string, error) {
	extension := extensions[persistedQuery]
	if extension == nil {
		return "", nil
	}
	members, ok := extension.(map[string]any)
	if !ok {
		return "", malformed(extensionField, "%s must be an object", extensionField)
	}
	if version, _ := members["version"].(json.Number); version != "1" {
		return "", malformed(versionField, "%s must be 1, other versions are not supported", versionField)
	}
	hash, _ := members["sha256Hash"].(string)
	if len(hash) != 2*sha256.Size || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", malformed(hashField, "%s must be the SHA-256 of the query: 64 hexadecimal digits in lower case", hashField)
	}
	return hash, nil
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// namesDocument reports quickly whether a request may be a GET with a hash in place
// of its document. It may be wrong about a request that has the word for another
// reason: the cache of responses then misses, and the request is executed.
func namesDocument(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, persistedQuery)
}
