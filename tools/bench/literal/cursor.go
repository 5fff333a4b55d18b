package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"product-comments/store/key"
)

// startKey is a LastEvaluatedKey: attribute to value. All of ours are strings.
type startKey map[string]string

// cursor is the combined LastEvaluatedKey: value of the partition key to the
// key after which that partition is read on.
type cursor map[string]startKey

var errCursor = errors.New("this is no cursor")

func (c cursor) encode() (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

func decode(token string) (cursor, error) {
	if token == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return nil, errCursor
	}
	var c cursor
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, errCursor
	}
	return c, nil
}

// inclusive returns a key right before this one in reading order, so that a
// query that starts after it returns the item of this one. The text says to
// decrement the strings by one character. Before means newer here, which makes
// the last character one greater.
func (k startKey) inclusive() startKey {
	out := startKey{}
	for name, value := range k {
		switch name {
		case key.GSISK, key.PK, key.SK:
			value = next(value)
		}
		out[name] = value
	}
	return out
}

func next(s string) string {
	last, size := utf8.DecodeLastRuneInString(s)
	if size == 0 || last == utf8.MaxRune {
		return s + "\x00"
	}
	if last++; !utf8.ValidRune(last) { // the surrogates
		last = 0xe000
	}
	return s[:len(s)-size] + string(last)
}
