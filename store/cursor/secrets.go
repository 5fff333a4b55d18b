package cursor

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MinSecret is the least size of a secret in bytes.
const MinSecret = 32

// ParseSecrets reads secrets in base64, separated by commas or white space.
// Errors never repeat the text.
func ParseSecrets(text string) ([][]byte, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
	if len(fields) == 0 {
		return nil, errors.New("no cursor key in it")
	}
	secrets := make([][]byte, 0, len(fields))
	for i, f := range fields {
		f = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(f, "="))
		secret, err := base64.RawStdEncoding.DecodeString(f)
		if err != nil {
			return nil, fmt.Errorf("cursor key %d is not base64", i+1)
		}
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("cursor key %d has %d bytes, it needs at least %d: make one with 'openssl rand -base64 32'", i+1, len(secret), MinSecret)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// LoadOrCreate reads the secrets in a file, which it makes with a random one
// if there is none. Only its owner may read the file.
func LoadOrCreate(path string) ([][]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("make a cursor key: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the cursor key: %w", err)
	}
	secrets, err := ParseSecrets(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return secrets, nil
}

// create writes a random secret beside the path and links it into place: of
// two processes that start at once both read the one that came first, whole.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	secret := make([]byte, MinSecret)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".cursor-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(secret) + "\n")
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
