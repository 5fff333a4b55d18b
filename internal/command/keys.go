package command

import (
	"os"
	"path/filepath"
)

const cursorKeysEnv = "CURSOR_KEYS"

var cursorKey = secret{"cursor key", cursorKeysEnv, "--cursor-keys-file"}

// keyFlags name the secrets of a deployment from which its keys are derived.
type keyFlags struct {
	CursorKeysFile string `help:"File with the secrets that seal cursors, links, contacts of orders and the secrets of webhook endpoints: base64, at least 32 bytes each; the first seals, all open. The environment variable ${cursor_keys_env} may hold them instead. The embedded engine makes one in the data directory." env:"CURSOR_KEYS_FILE" type:"path" placeholder:"FILE"`
}

// made returns the file of the secret that is made for a store on this machine, empty for other
// stores: all processes of a shop must share the secrets.
func (f *keyFlags) made(of *storeFlags) string {
	if of.onThisMachine() || isLoopback(os.Getenv(endpointEnv)) {
		return filepath.Join(of.DataDir, "cursor.key")
	}
	return ""
}

// need returns the secrets of the environment variable or the file, and makes one if a store on this
// machine has none.
func (f *keyFlags) need(of *storeFlags) ([][]byte, error) {
	return cursorKey.need(f.CursorKeysFile, f.made(of), "no cursor key")
}
