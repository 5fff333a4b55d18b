// Package photo names photos, their renditions and the addresses where browsers find them.
package photo

import (
	"crypto/rand"
	"encoding/base32"
)

// Widths are the most pixels that the renditions of a photo are wide, and their names. A photo is
// never scaled up, so a narrow one has fewer.
var Widths = []int{160, 480, 1600}

// encoding spells 128 bits in 26 characters, which every file system and bucket keeps apart.
var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewID returns the id of a new photo: 128 random bits, which cannot be guessed.
func NewID() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return IDOf(bits)
}

// IDOf returns the id that spells 128 bits.
func IDOf(bits [16]byte) string { return encoding.EncodeToString(bits[:]) }

// Valid reports whether a text is spelled as an id.
func Valid(id string) bool {
	bits, err := encoding.DecodeString(id)
	return err == nil && len(bits) == 16 && encoding.EncodeToString(bits) == id
}

// Renditions returns the names of the renditions of a photo that is so many pixels wide.
func Renditions(width int) []int {
	for i, most := range Widths {
		if width <= most {
			return Widths[:i+1]
		}
	}
	return Widths
}

// Rendition returns the name of the smallest rendition of a photo that has the wanted pixels, or of
// its greatest one.
func Rendition(width, wanted int) int {
	all := Renditions(width)
	for _, most := range all {
		if most >= wanted {
			return most
		}
	}
	return all[len(all)-1]
}
