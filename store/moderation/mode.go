package moderation

import (
	"fmt"
	"strings"
)

// Mode is how comments are moderated. The zero value is Off.
type Mode uint8

// The modes.
const (
	Off   Mode = iota // comments are published at once; moderators may reject them
	Post              // likewise, unless a rule or enough reports send it to a moderator
	Pre               // comments wait for a moderator
	modes             // how many there are
)

var modeNames = [modes]string{"off", "post", "pre"}

// String returns the name by which flags and commands know it.
func (m Mode) String() string { return modeNames[m] }

// ParseMode returns the mode with a name.
func ParseMode(name string) (Mode, error) {
	for m := range modes {
		if modeNames[m] == name {
			return m, nil
		}
	}
	return Off, fmt.Errorf("%q is not one of %s", name, strings.Join(modeNames[:], ", "))
}
