//go:build !unix

package engine

import "errors"

// This system has no such reasons.
var (
	errNoSpace = errors.New("no room for another namespace")
	errInvalid = errors.New("no such namespaces")
)
