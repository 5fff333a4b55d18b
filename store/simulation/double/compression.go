package double

import "product-comments/store/pack"

// What compresses is shared by all bubbles, and has channels. Those that are made within a bubble
// are its own, so they are made here.
func init() {
	_, _ = pack.Unpack(string(pack.Pack(pack.Words{Text: "some words"})))
}
