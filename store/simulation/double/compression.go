package double

import "product-comments/store/pack"

// Compressors are shared by all bubbles and contain channels. A channel that is created in a bubble
// can be used only there. So they are created here, outside of all bubbles.
func init() {
	_, _ = pack.Unpack(string(pack.Pack(pack.Words{Text: "some words"})))
}
