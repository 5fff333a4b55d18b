package requests

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

const (
	attrKey = "key" // of the hash key's item, B, sealed
	attrAt  = "at"  // of an opt-out, S, RFC 3339
	// hashSize is the size of the hash of an address in bytes.
	hashSize = 16
)

// hashKey returns the key of the hashes of addresses. It is random, the same for all processes, and
// stored sealed, so hashes stay the same when the secrets of the deployment change.
func (r *Requests) hashKey(ctx context.Context) (k []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hash != nil {
		return r.hash, nil
	}
	if r.optOuts == nil {
		return nil, errs.Errorf(errs.Internal, "no key opens opt-outs")
	}
	it := table.Key(key.OptOutKey)
	err = r.t.Race(ctx, "make the key of opt-outs", func() error {
		stored, err := r.t.Get(ctx, "the key of opt-outs", it)
		if err != nil {
			return err
		}
		put := table.Write{Put: it, If: table.Absent}
		if sealed, ok := stored[attrKey].(*types.AttributeValueMemberB); ok {
			if k, err = r.optOuts.Open(sealed.Value, nil); err != nil {
				return errs.Wrap(errs.Internal, err, "the key of opt-outs cannot be read: give this process the earlier secrets too")
			}
			put = table.Write{Put: it}.Unchanged(stored, attrKey)
		} else {
			k = make([]byte, 32)
			_, _ = rand.Read(k) // never fails
		}
		sealed, err := r.optOuts.Seal(k, nil) // with the newest secret
		if before, ok := stored[attrKey].(*types.AttributeValueMemberB); err != nil || ok && string(before.Value) == string(sealed) {
			return err
		}
		it[attrKey] = table.B(sealed)
		return r.t.Write(ctx, "write the key of opt-outs", put)
	})
	if err == nil {
		r.hash = k
	}
	return k, err
}

// hashOf returns the keyed hash of an address.
func (r *Requests) hashOf(ctx context.Context, c Contact) ([]byte, error) {
	k, err := r.hashKey(ctx)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, k)
	h.Write([]byte(c.normal()))
	return h.Sum(nil)[:hashSize], nil
}

func optOutKey(hash []byte) table.Item { return table.Key(key.OptOut(hex.EncodeToString(hash))) }

// optedOut reports whether an address wants no requests.
func (r *Requests) optedOut(ctx context.Context, hash []byte) (bool, error) {
	it, err := r.t.Get(ctx, "an opt-out", optOutKey(hash))
	return it != nil, err
}

// PathOptOut begins the paths of pages to opt out. A token follows, which nothing may log.
const PathOptOut = "/unsubscribe/"

// optOutToken returns the token of a link with which the buyer opts out.
func (r *Requests) optOutToken(hash []byte, orderID string) (string, error) {
	return r.optOuts.Token(append(hash[:hashSize:hashSize], orderID...))
}

// longestToken is more than the length of any token of an opt-out: an order id has at most 64 bytes.
const longestToken = 256

// OptOut takes an opt-out: the address of the token's message gets no more requests, and the order's
// request ends. The error is BadUserInput for a token that this deployment has not made. The call
// can be repeated.
func (r *Requests) OptOut(ctx context.Context, token string) error {
	hash, orderID, err := r.openToken(token)
	if err != nil {
		return err
	}
	it := optOutKey(hash)
	it[attrAt] = table.S(r.t.Now().UTC().Format(time.RFC3339))
	if err := r.t.Write(ctx, "write the opt-out", table.Write{Put: it}); err != nil {
		return err
	}
	return r.note(ctx, orderID, func(q *Request) (effects, error) {
		if !q.Live() {
			return effects{}, errSame
		}
		q.end(OptedOut, r.t.Now())
		return effects{event: eventOptedOut, count: "optedOut"}, nil
	})
}

// CanOptOut returns a BadUserInput error for a token that this deployment has not made.
func (r *Requests) CanOptOut(token string) error {
	_, _, err := r.openToken(token)
	return err
}

func (r *Requests) openToken(token string) (hash []byte, orderID string, err error) {
	wrong := errs.Invalid("token", "it is not from a link of this service, or was damaged on the way").For(errs.NotAnInvitation)
	if r.optOuts == nil {
		return nil, "", wrong
	}
	plain, err := r.optOuts.OpenToken(token, longestToken)
	if err != nil || len(plain) <= hashSize {
		return nil, "", wrong
	}
	return plain[:hashSize], string(plain[hashSize:]), nil
}
