package httpapi

import (
	"net/http"
	"slices"
)

// step is a part of the way of a request: it answers the request, or calls next.
type step func(w http.ResponseWriter, r *http.Request, next http.Handler)

// through returns a handler that leads requests through steps, in their order, to last.
func through(last http.Handler, steps ...step) http.Handler {
	for _, one := range slices.Backward(steps) {
		next := last
		last = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { one(w, r, next) })
	}
	return last
}

// outside are the steps of every request to the service.
func (s *server) outside() []step {
	return []step{
		requestID,
		s.trace,
		s.log,
		s.pace,    // cuts off clients that do not read their answers
		s.client,  // finds out where the request comes from
		headers,   // tells browsers to be careful
		endChunks, // ends connections that could be misread
		s.sizes,   // of the URL and the headers
		s.hosts,   // names of this server
	}
}

// api are the steps of a request for /graphql, after those outside.
func (s *server) api(cached *responses) []step {
	return []step{
		s.crossOrigin(), // CORS
		noStore,         // unless a later step says otherwise
		s.sites,         // no documents that pages of other sites send by GET
		s.viewer,        // verifies the token
		s.budgets,       // of the client
		s.visitor,       // reads the cookie of a visitor without a token
		cached.serve,
		compress,
		s.limit, // size and time
		methods,
		s.slot, // reads the body, and waits in the queue for what runs at once
	}
}

// polled are the steps of requests for the health of a process.
func (s *server) polled() []step { return []step{requestID, s.log, headers} }
