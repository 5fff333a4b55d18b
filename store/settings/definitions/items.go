package definitions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"

	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of the items.
const (
	attrRevision = "rev"   // N, of the definitions; absent for none
	attrGroup    = "group" // S, of the product
	attrAssigned = "moves" // N, how often the product was assigned to a group, or to none
	attrList     = "list"  // B, definitions as JSON, packed with flate (RFC 1951)
)

// MaxPacked is the maximum size in bytes of the compressed definitions of a product or group.
const MaxPacked = 256 << 10

// maxUnpacked bounds the bytes that a damaged item can decompress to.
const maxUnpacked = 64 << 20

// Scope is the owner of definitions: a product, or a group of products.
type Scope struct{ Product, Group string }

func (s Scope) pk() string {
	if s.Group != "" {
		return key.AttributeGroup(s.Group)
	}
	return key.Product(s.Product)
}

// String names the scope for people.
func (s Scope) String() string {
	if s.Group != "" {
		return fmt.Sprintf("group %q", s.Group)
	}
	return fmt.Sprintf("product %q", s.Product)
}

// scopeState is the content of a scope's item.
type scopeState struct {
	item     table.Item // as read, nil if there is none
	revision int
	group    string
	assigned int
}

func (s Scope) stateKey() table.Item { return table.KeyOf(s.pk(), key.AttributesSK) }

func parseScopeState(it table.Item) (st scopeState, err error) {
	st.item, st.group = it, table.Text(it, attrGroup)
	err = table.Read(it, table.Fields{attrRevision: &st.revision, attrAssigned: &st.assigned})
	return st, err
}

// listItem returns the item of a revision. It returns a BadUserInput error if the definitions
// are too large.
func listItem(s Scope, revision int, list []attributes.Definition) (table.Item, error) {
	spelled, err := json.Marshal(list)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "definitions of attributes")
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(spelled)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "definitions of attributes")
	}
	if n := packed.Len(); n > MaxPacked {
		return nil, errs.Invalid("definitions", "they take %d bytes packed, the limit is %d", n, MaxPacked).
			For(errs.TooLong).Past(n, MaxPacked)
	}
	it := table.KeyOf(s.pk(), key.AttributesRevisionSK(revision))
	it[attrList] = table.B(packed.Bytes())
	return it, nil
}

func parseList(it table.Item) (list []attributes.Definition, err error) {
	packed := flate.NewReader(bytes.NewReader(table.Bytes(it, attrList)))
	spelled, err := io.ReadAll(io.LimitReader(packed, maxUnpacked))
	if err == nil {
		err = json.Unmarshal(spelled, &list)
	}
	if err != nil {
		return nil, table.Damaged(it, err)
	}
	return list, nil
}
