package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// identity identifies the import that a checkpoint belongs to. If any part of it changes, the
// checkpoint belongs to another import.
type identity struct {
	File     string    `json:"file"` // absolute path
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified"`
	Table    string    `json:"table"`
	Endpoint string    `json:"endpoint"`
	Reading  string    `json:"reading,omitempty"` // how lines are read, unless by default
}

// checkpoint is the progress of a file's import.
type checkpoint struct {
	identity
	Offset int64 `json:"offset"` // bytes of the file, or of its uncompressed content
	Counts `json:"counts"`
	notes
	Done        bool      `json:"done"`        // the file is complete, but other files of the import are not
	Rejects     string    `json:"rejects"`     // absolute path
	RejectsSize int64     `json:"rejectsSize"` // bytes
	Saved       time.Time `json:"saved"`
}

// importsDir is the directory of checkpoints in the data directory.
const importsDir = "imports"

// path returns the path of the checkpoint. It is the same for all versions of a file, so that
// there is one checkpoint at most.
func (id identity) path(dataDir string) string {
	sum := sha256.Sum256([]byte(id.File + "\x00" + id.Table + "\x00" + id.Endpoint))
	return filepath.Join(dataDir, importsDir, hex.EncodeToString(sum[:12])+".json")
}

// load returns the checkpoint of an import, or a new one if there is none that matches and can be
// read.
func load(dataDir string, id identity) checkpoint {
	fresh := checkpoint{identity: id}
	b, err := os.ReadFile(id.path(dataDir))
	if err != nil {
		return fresh
	}
	var c checkpoint
	if err := json.Unmarshal(b, &c); err != nil {
		return fresh
	}
	if c.identity != id || c.Offset < 0 || c.Lines < 0 || c.RejectsSize < 0 {
		return fresh
	}
	return c
}
