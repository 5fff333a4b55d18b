package command

import (
	"context"
	"os"
	"path/filepath"

	"product-comments/store"
	"product-comments/store/key/sealed"
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

// withKeysIfAny opens the store with the keys of the deployment, for a command that needs them only for
// contacts, and calls do.
func (f *keyFlags) withKeysIfAny(ctx context.Context, of *storeFlags, o store.Options, do func(*openStore) error) error {
	secrets, err := cursorKey.find(f.CursorKeysFile, f.made(of))
	if err == nil {
		o.Keys, err = sealed.NewSet(secrets...)
	}
	if err != nil {
		return err
	}
	return of.withOptions(ctx, o, do)
}
