package feed

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"product-comments/store/errs"
)

// Files are the files of a feed: reviews.xml, then reviews-2.xml and so on; compressed if the name ends
// in .gz. They are in place once the whole feed is written.
type Files struct {
	name  string
	to    io.Writer // in place of files; nil if there are some
	parts []*part
	// Removed are the names of files of a former, longer feed.
	Removed []string
}

// NewFiles returns the files with the name of the first one.
func NewFiles(name string) *Files { return &Files{name: name} }

// To returns a feed of one part, which is written to a stream.
func To(w io.Writer) *Files { return &Files{to: w} }

// Check returns an error if the first file cannot be replaced, because its name is that of a folder, a
// device or a pipe.
func (f *Files) Check() error {
	if info, err := os.Stat(f.name); err == nil && !info.Mode().IsRegular() {
		return errs.Errorf(errs.BadUserInput, "%s is no file that can be replaced", f.name)
	}
	return nil
}

// Names returns the names of the files.
func (f *Files) Names() (all []string) {
	for n := range f.parts {
		all = append(all, f.nameOf(n+1))
	}
	return all
}

// nameOf returns the name of the n-th file, from 1.
func (f *Files) nameOf(n int) string {
	if n == 1 {
		return f.name
	}
	folder, base := filepath.Split(f.name)
	stem, end, dotted := strings.Cut(base, ".")
	if dotted {
		end = "." + end
	}
	return folder + stem + "-" + strconv.Itoa(n) + end
}

// part is a file that is being written, under another name.
type part struct {
	*bufio.Writer
	zip  *gzip.Writer
	file *os.File
}

// next begins the next part.
func (f *Files) next() (*part, error) {
	if f.to != nil && len(f.parts) > 0 {
		return nil, errs.Errorf(errs.BadUserInput, "the feed is longer than the 100 MB that a file may have: give --output FILE, which is split")
	}
	p, to := &part{}, f.to
	if to == nil {
		var err error
		if p.file, err = os.CreateTemp(filepath.Dir(f.name), filepath.Base(f.name)+".*"); err != nil {
			return nil, err
		}
		to = p.file
		if strings.HasSuffix(f.name, ".gz") {
			p.zip = gzip.NewWriter(to)
			to = p.zip
		}
	}
	p.Writer = bufio.NewWriterSize(to, 64<<10)
	f.parts = append(f.parts, p)
	return p, nil
}

// end closes a part.
func (p *part) end() error {
	err := p.Flush()
	if p.zip != nil {
		err = errors.Join(err, p.zip.Close())
	}
	if p.file != nil {
		// Without Sync a file could be empty after a power failure. Google and the web server read it.
		err = errors.Join(err, p.file.Chmod(0o644), p.file.Sync(), p.file.Close())
	}
	return err
}

// commit puts the files in the place of the former ones, and removes the files of a longer feed.
func (f *Files) commit() error {
	if f.to != nil {
		return nil
	}
	for i, p := range f.parts {
		if err := os.Rename(p.file.Name(), f.nameOf(i+1)); err != nil {
			return err
		}
	}
	for n := len(f.parts) + 1; ; n++ {
		name := f.nameOf(n)
		switch err := os.Remove(name); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		f.Removed = append(f.Removed, name)
	}
}

// Discard removes what was written of a feed that failed.
func (f *Files) Discard() {
	for _, p := range f.parts {
		if p.file != nil {
			_ = p.file.Close()           // may be closed
			_ = os.Remove(p.file.Name()) // may be in place
		}
	}
}
