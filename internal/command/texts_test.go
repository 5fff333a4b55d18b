package command

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/testkit"
)

// straps are 300 comments that say much the same.
func straps() string {
	var file strings.Builder
	for i := range 300 {
		fmt.Fprintf(&file, `{"productId":"42","commentId":"c%d","rating":%d,"language":"en","createdAt":"2026-03-09T08:07:06Z","author":"Ada %d","title":"Good for %d years","text":"The strap is soft and the zip runs smoothly. I have carried %d books in it for %d weeks, and it looks like new."}`+"\n", i, 1+i%5, i%7, i%9, i, i*3)
	}
	return file.String()
}

// The operator packs what was written before there was a dictionary, beside a
// server that answers the same before and after.
func TestTextsCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, filepath.Join(dir, "data"))
	command := func(status int, want string, arguments ...string) {
		t.Helper()
		wantRun(t, dir, "", status, want, append(arguments, "--data-dir=data")...)
	}
	command(exitFailed, "too few to train on", "texts", "train")
	command(exitFailed, "product-comments texts train makes one", "texts", "pack")
	write(t, dir, "comments.ndjson", straps())
	command(0, "300 written", "import", "comments.ndjson", "--pack=off")
	const page = `{product(id:"42"){comments(ratings:[2,5],first:100){nodes{commentId author title text version}}}}`
	before := s.query(t, page)
	command(0, "dictionary 1 from 300 comments", "texts", "train")
	command(0, "packed 300 comments", "texts", "pack")
	command(0, "packed 0 comments", "texts", "pack", "--rate=1000")
	command(exitFailed, "Dictionary 1 is younger than an hour", "texts", "prune")
	after := s.query(t, page)
	testkit.Check(t, after == before && strings.Contains(after, "The strap is soft"), "before %.500s\nafter %.500s", before, after)
	command(0, "300 comments, 0 copies: 0 differences", "stats", "verify")
	command(0, `"text":"The strap is soft`, "export", "--product=42")
}

// firstPage is what a page of 20 short comments costs, planning included.
var firstPage = regexp.MustCompile(`"readUnits":(0\.5|[12](\.5)?)[,}]`)

// An import makes the dictionary by itself, and a server has it before it is
// ready: the first page costs what the second does.
func TestImportPacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct{ pack, says, texts string }{
		{"--pack=auto", "made a dictionary", "packed 0 comments"},
		{"--pack=off", "", "product-comments texts train makes one"},
	} {
		data := filepath.Join(dir, test.pack[2:])
		out, log, status := run(t, dir, straps(), "import", "-", "--data-dir="+data, test.pack)
		testkit.Need(t, status == 0 && strings.Contains(out, "300 written") && strings.Contains(log, test.says), "%s: %d %s%s", test.pack, status, out, log)
		out, log, _ = run(t, dir, "", "texts", "pack", "--data-dir="+data)
		testkit.Check(t, strings.Contains(out+log, test.texts), "%s: %s%s, want %s", test.pack, out, log, test.texts)
		s := startServer(t, data, test.pack)
		page := s.post(t, `{product(id:"42"){comments(first:20){nodes{text}}}}`)
		testkit.Check(t, strings.Contains(page, "The strap is soft"), "%s: %s", test.pack, page)
		testkit.Check(t, firstPage.MatchString(page), "%s: the first page costs more than its own query and statistics: %s", test.pack, page)
		s.stop(t, syscall.SIGTERM)
	}
}
