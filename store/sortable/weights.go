package sortable

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"golang.org/x/text/language"
)

// Weights names the weights that this release gives texts in languages, and votes: a release
// that gives them others has another name. It is made of what the weights of many characters
// are, in the languages below, and of a name of what votes are sorted by, which is another
// one whenever that changes.
var Weights = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, tag := range []string{"und", "ar", "cs", "da", "de", "es", "fi", "he", "hu", "ja", "ko", "lt", "pl", "ru",
		"sv", "th", "tr", "uk", "vi", "zh"} {
		o := OrderOf(language.MustParse(tag))
		for _, of := range [][2]rune{{0x20, 0x24f}, {0x370, 0x45f}, {0x5d0, 0x5ea}, {0x620, 0x64a}, {0xe01, 0xe2e},
			{0x3041, 0x30ff}, {0x4e00, 0x4e7f}, {0xac00, 0xac3f}} {
			for r := of[0]; r <= of[1]; r++ {
				sum.Write(o.AppendText(nil, string(r)))
			}
		}
	}
	sum.Write([]byte("wilson/12"))
	return hex.EncodeToString(sum.Sum(nil)[:8])
})
