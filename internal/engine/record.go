package engine

import (
	"encoding/json"
	"os"
	"path/filepath"

	"product-comments/internal/file"
)

// record is what engine.json tells followers and the next owner.
type record struct {
	Address string `json:"address"`       // where the engine listens, or listened last
	PID     int    `json:"pid,omitempty"` // of the child; 0 if none runs
}

// readRecord returns the zero record if there is none that can be read.
func readRecord(dir string) record {
	content, err := os.ReadFile(filepath.Join(dir, "engine.json"))
	var r record
	if err != nil || json.Unmarshal(content, &r) != nil {
		return record{}
	}
	return r
}

func (r record) write(dir string) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return file.Replace(filepath.Join(dir, "engine.json"), append(content, '\n'))
}
