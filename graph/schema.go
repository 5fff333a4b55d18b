package graph

// The library that parses the schema adds directives of its own. @defer is one that
// needs answers in parts, which this service does not send: what it defers would
// never come. Without its definition documents that have it are not valid, and
// clients see that they cannot use it.
func init() { delete(parsedSchema.Directives, "defer") }

// SDL returns the schema in its own language: what introspection tells, as a text.
func SDL() string { return sources[0].Input }
