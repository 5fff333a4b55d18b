package main

import (
	"bytes"
	"net/http"
)

// exchange is a request, as it goes over the wire, and the data of the answer.
type exchange struct{ request, data []byte }

func newExchange(r *http.Request, body []byte) (exchange, error) {
	var b bytes.Buffer
	err := r.Write(&b)
	return exchange{b.Bytes(), dataOf(body)}, err
}

var extensions = []byte(`,"extensions":`)

// mostExtensions bounds the bytes that the extensions of an answer have.
const mostExtensions = 512

// dataOf cuts off the extensions of a GraphQL answer, which stand at its end:
// they say what the request cost, and that need not be the same twice. An
// answer without them stays whole. No text can be taken for them: in it the
// quotation marks would be escaped.
func dataOf(body []byte) []byte {
	tail := max(0, len(body)-mostExtensions)
	if i := bytes.LastIndex(body[tail:], extensions); i >= 0 {
		return body[:tail+i]
	}
	return body
}
