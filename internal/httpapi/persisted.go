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

	// What Apollo's and urql's clients look for before they send the document.
	codePersistedQueryNotFound    = "PERSISTED_QUERY_NOT_FOUND"
	messagePersistedQueryNotFound = "PersistedQueryNotFound"
)

// persistedQueries are documents that clients name by their SHA-256 (Apollo's
// protocol of automatic persisted queries). They come from a manifest, which is
// complete from the start, and from clients, who can push out each other's but
// not those.
//
// gqlgen's extension.AutomaticPersistedQuery does not fit: it keeps documents
// of any size, before they were parsed, and its errors about a request have no
// code, which makes them internal errors here.
type persistedQueries struct {
	manifest       Manifest
	registered     *lru.Cache[string, string] // hash → document
	found, unknown prometheus.Counter
}

// registeredQueries bounds the documents that clients register. Each has at
// most largestCached bytes, so all of them take at most 8 MB.
const registeredQueries = 1000

func newPersistedQueries(manifest Manifest) *persistedQueries {
	registered, err := lru.New[string, string](registeredQueries)
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	lookups := func(result string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{
			Name:        "product_comments_persisted_queries_total",
			Help:        "Requests that named their document by its hash alone and were not answered from the response cache.",
			ConstLabels: prometheus.Labels{"result": result},
		})
	}
	return &persistedQueries{manifest: manifest, registered: registered, found: lookups("found"), unknown: lookups("unknown")}
}

// resolve puts the document into params that a request names by its hash, and
// tells whether it did; with a document, it checks that the hash is its own.
// Its errors are of type *badRequest.
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

// register keeps the document of a request that has its hash too. It must have
// been parsed and validated: nobody shall fill the memory with what cannot run.
func (p *persistedQueries) register(params *graphql.RawParams) {
	hash, err := persistedHash(params.Extensions)
	if err != nil || hash == "" || len(params.Query) > largestCached {
		return
	}
	if _, known := p.manifest[hash]; known {
		return
	}
	p.registered.Add(hash, strings.Clone(params.Query)) // a part of a query string would keep all of it
}

const (
	extensionField = "extensions." + persistedQuery
	versionField   = extensionField + ".version"
	hashField      = extensionField + ".sha256Hash"
)

// persistedHash reads the extension {version: 1, sha256Hash}; "" if the request
// has none.
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

// namesDocument tells at a glance whether a GET may name its document by a
// hash. It need not be certain: what else has this word is answered all the
// same, by a longer way.
func namesDocument(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.RawQuery, persistedQuery)
}
