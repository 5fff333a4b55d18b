package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"product-comments/store/errs"
)

// reject is a refused line in the rejects file.
type reject struct {
	File      string `json:"file"`
	Line      int64  `json:"line"` // from 1
	Field     string `json:"field,omitempty"`
	Reason    string `json:"reason"`
	Raw       string `json:"raw"` // without line break; invalid UTF-8 is replaced
	Truncated bool   `json:"truncated,omitempty"`
}

func newReject(file string, number int64, line []byte, reason error) reject {
	r := reject{File: file, Line: number, Reason: reason.Error(), Truncated: len(line) > maxRaw}
	var coded *errs.Error
	if errors.As(reason, &coded) {
		r.Field, r.Reason = coded.Field, coded.Message
	}
	r.Raw = strings.ToValidUTF8(string(line[:min(len(line), maxRaw)]), "\ufffd")
	return r
}

// rejectsName returns the default rejects file of an input.
func rejectsName(input string) string {
	if input == stdin {
		return "stdin.rejects.ndjson"
	}
	return filepath.Base(input) + ".rejects.ndjson"
}

// maxRejects is the maximum of bytes of a rejects file: more are rather the fault of a whole file,
// and a small compressed file could fill the disk.
const maxRejects = 64 << 20

// rejects is the file that refused lines are appended to. It is created with the first one.
// Several inputs may share one.
type rejects struct {
	path string // absolute
	keep int64  // bytes that an earlier import has checkpointed
	file *os.File
	size int64 // bytes, including the content from before this import
}

// begin truncates the file to the checkpoint: it removes the refused lines of an earlier import,
// or of the window that an import was writing when it was killed.
func (r *rejects) begin() error {
	info, err := r.inspect()
	if info == nil || err != nil || !info.Mode().IsRegular() {
		return err
	}
	r.size = min(info.Size(), r.keep)
	if err := os.Truncate(r.path, r.size); err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	return nil
}

// inspect returns the information of the file, a terminal or a pipe; nil if there is none. A symbolic
// link to a file is an error, because others may have put it there.
func (r *rejects) inspect() (os.FileInfo, error) {
	named, err := os.Lstat(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	info, _ := os.Stat(r.path)
	if err == nil && named.Mode()&fs.ModeSymlink != 0 && (info == nil || info.Mode().IsRegular()) {
		err = fmt.Errorf("%s is a symbolic link: remove it or name another file", r.path)
	}
	if err != nil {
		return nil, fmt.Errorf("rejects file: %w", err)
	}
	return info, nil
}

// append writes refused lines durably.
func (r *rejects) append(refused []reject) error {
	if len(refused) == 0 {
		return nil
	}
	info, err := r.inspect()
	if err != nil {
		return err
	}
	if r.file == nil {
		f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600) // comments may be personal data
		if err != nil {
			return fmt.Errorf("rejects file: %w", err)
		}
		r.file = f
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range refused {
		if err := e.Encode(&refused[i]); err != nil {
			return fmt.Errorf("rejects file: %w", err)
		}
	}
	if r.size+int64(b.Len()) > maxRejects && info != nil && info.Mode().IsRegular() {
		return errs.Errorf(errs.BadUserInput, "the refused lines exceed %d MiB, the limit of a rejects file: check --format and --map; --rejects %s keeps no refused lines",
			maxRejects>>20, os.DevNull)
	}
	n, err := r.file.Write(b.Bytes())
	r.size += int64(n)
	if err != nil {
		return fmt.Errorf("rejects file: %w", err)
	}
	return nil
}

// close closes the file; append opens it again.
func (r *rejects) close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}
