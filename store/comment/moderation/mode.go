package moderation

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is a way of moderating comments. The zero value is Off.
type Mode uint8

// The modes.
const (
	Off  Mode = iota // comments are published at once; moderators may reject them
	Post             // as Off, but rules and reports send comments to a moderator
	Pre              // comments wait for a moderator
)

var modeNames = [...]string{"off", "post", "pre"}

// String returns the mode's name in flags and commands.
func (m Mode) String() string { return modeNames[m] }

// ParseMode returns the mode with a name.
func ParseMode(name string) (Mode, error) {
	if i := slices.Index(modeNames[:], name); i >= 0 {
		return Mode(i), nil
	}
	return Off, fmt.Errorf("%q is not one of %s", name, strings.Join(modeNames[:], ", "))
}
