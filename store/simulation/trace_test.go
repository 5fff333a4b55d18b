package simulation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// noTraceIn looks for names, however they are spelled, and words in an item, packed ones,
// too. Dictionaries stay, as long as something is packed with them. The model's lock is
// held.
func (h *history) noTraceIn(it item, names, words []string) {
	if strings.HasPrefix(text(it, key.PK), key.Meta("dictionary-")) {
		return
	}
	sought := slices.Clone(words)
	for _, name := range names {
		sought = append(sought, name, strings.TrimPrefix(key.User(name), key.User("")))
	}
	found := ""
	look := func(s string) {
		for _, want := range sought {
			if strings.Contains(s, want) {
				found = want
			}
		}
	}
	for name, v := range it {
		look(name)
		eachText(v, look)
	}
	if packed, ok := it["z"].(*types.AttributeValueMemberB); ok {
		look(h.model.unpacked(packed.Value))
	}
	if found != "" {
		h.fail("erasure", "", "%q is in the table: the item %s, %s: %s", found, text(it, key.PK), text(it, key.SK), spell(it))
	}
}

// eachText calls each with every text in a value.
func eachText(v types.AttributeValue, each func(string)) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		each(v.Value)
	case *types.AttributeValueMemberB:
		each(string(v.Value))
	case *types.AttributeValueMemberSS:
		for _, s := range v.Value {
			each(s)
		}
	case *types.AttributeValueMemberBS:
		for _, b := range v.Value {
			each(string(b))
		}
	case *types.AttributeValueMemberL:
		for _, in := range v.Value {
			eachText(in, each)
		}
	case *types.AttributeValueMemberM:
		for name, in := range v.Value {
			each(name)
			eachText(in, each)
		}
	}
}

// unpacked returns what is in packed words; nothing if the table lacks their dictionary,
// which other checks tell of. The caller holds the lock.
func (m *model) unpacked(packed []byte) string {
	version, err := pack.VersionOf(string(packed))
	if err != nil || m.codecs[version] == nil {
		return ""
	}
	words, err := m.codecs[version].Unpack(string(packed))
	if err != nil {
		return ""
	}
	return words.Title + "\n" + words.Text + "\n" + words.Author
}

// spell spells the attributes of an item.
func spell(it item) string {
	var b strings.Builder
	for name, v := range it {
		fmt.Fprintf(&b, "%s ", name)
		eachText(v, func(s string) { fmt.Fprintf(&b, "%q ", shorten(s)) })
	}
	return b.String()
}
