package double

import "product-comments/store/comment/compressed"

// Compressors are shared by all bubbles and contain channels. A channel that is created in a bubble
// can be used only there. So they are created here, outside of all bubbles.
func init() {
	_, _ = compressed.Unpack(string(compressed.Pack(compressed.Words{Text: "some words"})))
}
