package transfer

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"product-comments/internal/testkit"
)

// readAll returns what lines returns; a line that is too long as <length of its start>.
func readAll(t interface{ Fatal(...any) }, l *lines) (all []string) {
	for {
		line, tooLong, err := l.next()
		switch {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatal(err)
		case tooLong:
			all = append(all, "<too long>")
		default:
			all = append(all, string(line))
		}
	}
}

func TestLines(t *testing.T) {
	full := strings.Repeat("x", maxLine)
	tests := []struct {
		name, from string
		want       []string
	}{
		{"nothing", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no line break at the end", "a\nb", []string{"a", "b"}},
		{"blank", "\n\r\n \n", []string{"", "", " "}},
		{"CR LF", "a\r\nb\r\n", []string{"a", "b"}},
		{"CR inside", "a\rb\r\r\n", []string{"a\rb\r"}},
		{"byte order mark", "\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{"byte order mark alone", "\ufeff", []string{""}},
		{"full", full + "\n" + full + "\r\n" + full, []string{full, full, full}},
		{"byte order mark and full", "\ufeff" + full + "\r\n", []string{full}},
		{"too long", full + "x\n" + "a\n" + full + "x\r\n" + "b\n" + full + "x", []string{"<too long>", "a", "<too long>", "b", "<too long>"}},
		{"much too long", strings.Repeat(full, 5) + "\nb\n", []string{"<too long>", "b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := readAll(t, newLines(strings.NewReader(test.from), 0, 0))
			testkit.Check(t, slices.Equal(got, test.want), "got %d lines %.100q", len(got), got)
		})
	}
}

func TestLinesError(t *testing.T) {
	broken := errors.New("broken")
	l := newLines(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(broken)), 0, 0)
	line, _, err := l.next()
	testkit.Need(t, string(line) == "a" && err == nil, "got %q, %v", line, err)
	_, _, err = l.next()
	testkit.Check(t, errors.Is(err, broken), "got %v", err)
	if l.number != 1 || l.offset != 2 {
		t.Errorf("stands at line %d, byte %d", l.number, l.offset)
	}
}

// Reading can go on after any line, at the offset noted there.
func TestLinesGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := []byte(rapid.StringMatching(`(\x{feff})?([a-c]{0,5}(\n|\r\n|\r|\n\n))*[a-c]{0,3}`).Draw(t, "file"))
		l := newLines(bytes.NewReader(from), 0, 0)
		all := readAll(t, newLines(iotest.OneByteReader(bytes.NewReader(from)), 0, 0))
		for done := 0; ; done++ {
			rest := readAll(t, newLines(bytes.NewReader(from[l.offset:]), l.number, l.offset))
			if !slices.Equal(all[done:], rest) {
				t.Fatalf("after %d lines, at byte %d: got %q, want %q", done, l.offset, rest, all[done:])
			}
			if _, _, err := l.next(); err == io.EOF {
				if int(l.offset) != len(from) || int(l.number) != len(all) {
					t.Fatalf("ended at line %d, byte %d", l.number, l.offset)
				}
				return
			}
		}
	})
}
