// Package secrets reads secrets in base64 from environment variables or files. The first secret
// signs or seals, all are accepted, so that a secret can be rotated without interruption. Errors
// never contain a secret.
package secrets

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

// MinSize is the minimum size of a secret in bytes.
const MinSize = 32

// Find returns the secrets of the environment variable, or else of the file; nil if neither is
// set. what names them in errors, such as "cursor key".
func Find(what, env, path string) ([][]byte, error) {
	text, from := os.Getenv(env), env
	if text == "" {
		if path == "" {
			return nil, nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the %s: %w", what, err)
		}
		text, from = string(content), path
	}
	found, err := Parse(what, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return found, nil
}

// Parse parses secrets in base64, separated by commas or white space.
func Parse(what, text string) ([][]byte, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' })
	if len(fields) == 0 {
		return nil, fmt.Errorf("it has no %s", what)
	}
	secrets := make([][]byte, 0, len(fields))
	for i, f := range fields {
		f = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(f, "="))
		secret, err := base64.RawStdEncoding.DecodeString(f)
		if err != nil {
			return nil, fmt.Errorf("%s %d is not base64", what, i+1)
		}
		if len(secret) < MinSize {
			return nil, fmt.Errorf("%s %d has %d bytes, it needs at least %d: make one with 'openssl rand -base64 32'", what, i+1, len(secret), MinSize)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// LoadOrCreate reads the secrets of a file, which it creates with a random one if it does not
// exist. Only its owner may read the file.
func LoadOrCreate(what, path string) ([][]byte, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("make a %s: %w", what, err)
		}
	}
	return Find(what, "", path)
}

// create writes a random secret next to the path and links it into place, so that two processes
// that start at once read the same complete file.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	secret := make([]byte, MinSize)
	_, _ = rand.Read(secret)                                    // never fails
	temp, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // mode 0600
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
