package attributes

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/klauspost/compress/zstd"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Attributes of the items.
const (
	attrRevision = "rev"   // N, of the definitions; absent for none
	attrGroup    = "group" // S, that a product is in
	attrList     = "list"  // B, definitions as JSON in a frame of zstd
)

// MaxPacked is the most bytes that the definitions of a product or group take, packed.
const MaxPacked = 256 << 10

// maxUnpacked bounds what is read of a damaged item, in bytes.
const maxUnpacked = 64 << 20

// Scope is what definitions are of: a product, or a group of products.
type Scope struct{ Product, Group string }

func (s Scope) pk() string {
	if s.Group != "" {
		return key.AttributeGroup(s.Group)
	}
	return key.Product(s.Product)
}

// String names it for people.
func (s Scope) String() string {
	if s.Group != "" {
		return fmt.Sprintf("group %q", s.Group)
	}
	return fmt.Sprintf("product %q", s.Product)
}

// standing is what the item of a scope says.
type standing struct {
	item     table.Item // as it was read, nil if there is none
	revision int
	group    string
}

func (s Scope) standingKey() table.Item { return table.KeyOf(s.pk(), key.AttributesSK) }

func parseStanding(it table.Item) (st standing, err error) {
	st.item, st.group = it, table.Text(it, attrGroup)
	st.revision, err = table.Number(it, attrRevision)
	return st, err
}

// packer and unpacker are made for each list: lists are rarely written or read, and
// both hold memory and channels.
func packer() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression)) // the options are constants
	return e
}

func unpacker() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
	return d
}

// listItem returns the item of a revision. It returns a BadUserInput error if the
// definitions take too much.
func listItem(s Scope, revision int, list []Definition) (table.Item, error) {
	spelled, err := json.Marshal(list)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "definitions of attributes")
	}
	packed := packer().EncodeAll(spelled, nil)
	if len(packed) > MaxPacked {
		return nil, errs.Invalid("definitions", "they take %d bytes packed, the limit is %d", len(packed), MaxPacked).For(errs.TooLong).Past(len(packed), MaxPacked)
	}
	it := table.KeyOf(s.pk(), key.AttributesRevisionSK(revision))
	it[attrList] = &types.AttributeValueMemberB{Value: packed}
	return it, nil
}

func parseList(it table.Item) (list []Definition, err error) {
	d := unpacker()
	defer d.Close()
	spelled, err := d.DecodeAll(table.Bytes(it, attrList), nil)
	if err == nil {
		err = json.Unmarshal(spelled, &list)
	}
	if err != nil {
		return nil, table.Damaged(it, err)
	}
	return list, nil
}
