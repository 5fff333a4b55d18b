package photo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"product-comments/store/key/sealed"
)

// Path is the path of all photos: of uploads, and before the id of each.
const Path = "/photos"

// Period is how long a signed address is valid, at most.
const Period = time.Hour

// A signed address changes this often, so that lists that are read again within the time show the
// same addresses.
const rounding = 10 * time.Minute

const codeSize = 16 // bytes of a signature, too many to try

// Addresses spells where browsers find photos. It is safe for concurrent use.
type Addresses struct {
	server, front string
	keys          [][]byte
}

// NewAddresses returns the addresses of photos. server is the scheme and host of the service, empty
// for links without a host. front is where clients reach the bucket itself, such as
// https://cdn.example; empty if the service serves all photos. The keys are derived from the secrets
// of a deployment: the first signs, all verify.
func NewAddresses(server, front string, secrets ...[]byte) (*Addresses, error) {
	a := &Addresses{server: server + Path, front: strings.TrimSuffix(front, "/")}
	if a.front == "" {
		a.front = a.server
	}
	for _, secret := range secrets {
		key, err := sealed.Derive("photo", secret, sha256.Size)
		if err != nil {
			return nil, err
		}
		a.keys = append(a.keys, key)
	}
	if len(a.keys) == 0 {
		return nil, fmt.Errorf("no photo key")
	}
	return a, nil
}

// URL returns the address of a rendition for everyone. The service answers it with 404 while the
// comment of the photo is not published.
func (a *Addresses) URL(id string, rendition int) string { return address(a.front, id, rendition) }

// Signed returns the address of a rendition for a person who may see the photo though its comment is
// not published. It is valid for an hour at most, and for all renditions of the photo.
func (a *Addresses) Signed(id string, rendition int, now time.Time) string {
	until := strconv.FormatInt(now.Truncate(rounding).Add(Period).Unix(), 10)
	return address(a.server, id, rendition) + "?until=" + until + "&sig=" + code(a.keys[0], id, until)
}

// Verify reports whether the query of an address signs a photo, and has not expired.
func (a *Addresses) Verify(id string, query url.Values, now time.Time) bool {
	until := query.Get("until")
	at, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !now.Before(time.Unix(at, 0)) {
		return false
	}
	for _, key := range a.keys {
		if hmac.Equal([]byte(query.Get("sig")), []byte(code(key, id, until))) {
			return true
		}
	}
	return false
}

func address(base, id string, rendition int) string {
	return base + "/" + id + "/" + strconv.Itoa(rendition)
}

func code(key []byte, id, until string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + " " + until))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:codeSize])
}
