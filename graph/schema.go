package graph

// The library that parses the schema adds directives. @defer needs incremental delivery, which
// this service does not support: clients would never receive the deferred part. Without its
// definition a document with @defer is invalid, so that clients see the lack of support.
func init() { delete(parsedSchema.Directives, "defer") }

// SDL returns the schema in the schema definition language.
func SDL() string { return sources[0].Input }

const (
	PageSize    = 20  // of a connection without first and last
	MaxPageSize = 100 // maximum of first and last
	MaxIDs      = 100 // maximum of ids that nodes and products take
	// MaxLanguages is the maximum of languages of a filter: each is a separate partition.
	MaxLanguages = 10
)
