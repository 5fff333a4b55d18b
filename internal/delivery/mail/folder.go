package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Folder puts mails into a folder in place of sending them.
type Folder struct {
	*Writer
	Dir string
}

// Send writes a mail to a file, with a name by time.
func (f *Folder) Send(_ context.Context, m *Message) error {
	at := time.Now().UTC()
	_, text, err := f.write(m, at)
	if err != nil {
		return &Error{permanent: true, text: err.Error()}
	}
	if err := f.put(at.Format("20060102T150405.000000000Z-")+m.ID+".eml", text); err != nil {
		return &Error{outage: true, text: err.Error()}
	}
	return nil
}

// put writes a file whole or not at all.
func (f *Folder) put(name string, text []byte) error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(f.Dir, "new-")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(f.Dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Sent is a mail in a folder.
type Sent struct {
	File, Subject, To string
	At                time.Time
	Text, HTML        string
}

// List returns the newest mails of a folder, at most so many, the newest first. There are none in a
// folder that does not exist.
func List(dir string, most int) ([]Sent, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Sent
	for _, e := range slices.Backward(entries) {
		if len(all) >= most || err != nil {
			break
		}
		if strings.HasSuffix(e.Name(), ".eml") {
			var s Sent
			s, err = read(dir, e.Name())
			all = append(all, s)
		}
	}
	return all, err
}

func read(dir, name string) (s Sent, err error) {
	msg, err := gomail.EMLToMsgFromFile(filepath.Join(dir, name))
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	s.File, s.To = name, strings.Join(msg.GetToString(), ", ")
	s.Subject, _ = new(mime.WordDecoder).DecodeHeader(strings.Join(msg.GetGenHeader(gomail.HeaderSubject), " "))
	s.At, _ = mail.ParseDate(strings.Join(msg.GetGenHeader(gomail.HeaderDate), " "))
	for _, p := range msg.GetParts() {
		content, err := p.GetContent()
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		if p.GetContentType() == gomail.TypeTextHTML {
			s.HTML = string(content)
		} else {
			s.Text = string(content)
		}
	}
	return s, nil
}
