package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/demo"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
)

// program is the path of the program.
var program string

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	os.Exit(testkit.RunWithProgram(browser.Main{M: m}, &program, Main))
}

// run runs a command to its end.
func run(t *testing.T, dir, stdin string, arguments ...string) (stdout, stderr string, status int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, arguments...)
	var out, errs bytes.Buffer
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, strings.NewReader(stdin), &out, &errs
	c.Env = environment()
	err := c.Run()
	exit := (*exec.ExitError)(nil)
	testkit.Need(t, err == nil || errors.As(err, &exit), "%v", err)
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// wantRun fails unless a command ends with a status and says something: why it failed on
// standard error, all else there or on standard output, which it returns.
func wantRun(t *testing.T, dir, stdin string, status int, says string, arguments ...string) (stdout string) {
	t.Helper()
	out, log, got := run(t, dir, stdin, arguments...)
	said := log
	if status != exitFailed {
		said = out + log
	}
	testkit.Need(t, got == status && strings.Contains(said, says), "%v: %d, want %d and %s\n%s%s", arguments, got, status, says, out, log)
	return out
}

// write makes a file, and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	content := testkit.Value(os.ReadFile(filepath.Join(dir, name)))(t)
	return string(content)
}

// environment is ours without what would configure the program. Changes of settings take
// effect when all calls that began before have timed out: the default would make tests wait.
func environment() []string {
	env := []string{"STORE_TIMEOUT=2s"}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case endpointEnv, cursorKeysEnv, authSecretEnv, "ENGINE", "TABLE", "DATA_DIR", "ADDR", "DEMO":
		default:
			env = append(env, v)
		}
	}
	return env
}

// server is `product-comments serve` in a separate process.
type server struct {
	cmd   *exec.Cmd
	url   string
	admin string          // the operators' address; "" if it has none
	log   *testkit.Buffer // whole when the process has ended
	end   chan struct{}
}

// operators returns the operators' address, which --admin-addr must have given.
func (s *server) operators(t *testing.T) string {
	t.Helper()
	testkit.Need(t, s.admin != "", "the server has no address for operators")
	return s.admin
}

func startServer(t *testing.T, dataDir string, arguments ...string) *server {
	t.Helper()
	return startServerBy(t, []string{program}, dataDir, arguments...)
}

// startServerBy starts it by a command that ends with the program.
func startServerBy(t *testing.T, command []string, dataDir string, arguments ...string) *server {
	t.Helper()
	command = append(slices.Clone(command), "serve", "--addr=127.0.0.1:0", "--data-dir="+dataDir)
	cmd := exec.Command(command[0], append(command[1:], arguments...)...)
	cmd.Env = environment()
	serving := testkit.Value(testkit.Serve(cmd))(t)
	s := &server{cmd, serving.URL + "/", serving.Admin, serving.Log, serving.End}
	t.Cleanup(func() { s.stop(t, syscall.SIGKILL) })
	return s
}

func (s *server) stop(t *testing.T, signal syscall.Signal) {
	t.Helper()
	_ = s.cmd.Process.Signal(signal)
	select {
	case <-s.end:
	case <-time.After(time.Minute):
		t.Fatalf("it does not end on %v", signal)
	}
}

// costs are what an answer says of its cost, which differs from time to time.
var costs = regexp.MustCompile(`,"extensions":\{"cost":\{[^}]*\}\}\}$`)

// query returns an answer without its cost.
func (s *server) query(t *testing.T, query string) string {
	t.Helper()
	return costs.ReplaceAllString(s.post(t, query), "}")
}

// post returns the whole answer.
func (s *server) post(t *testing.T, query string) string {
	t.Helper()
	_, answer := s.as(t, "", query)
	return answer
}

func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Minute); !done(); { // the demo alone takes three on a busy machine
		testkit.Need(t, !time.Now().After(deadline), "waited in vain until %s", what)
		time.Sleep(10 * time.Millisecond) // polls another process, which has no channel to wait on
	}
}

const lines = `{"productId":"42","commentId":"b","rating":4,"language":"pt-BR","createdAt":"2026-02-03T04:05:06.000000007Z","author":"Ana","title":"Bom","text":"Linha 1\nLinha 2 <&>","verifiedPurchase":true,"helpful":3,"attributes":{"size":1.50,"fits":null}}
{"productId":"42","commentId":"a","rating":5,"language":"en","createdAt":"2026-02-03T04:05:06Z"}
`

// The life of a table: served, filled while served, stopped, served again.
func TestProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dataDir := filepath.Join(dir, "data")
	write(t, dir, "comments.ndjson", lines)
	s := startServer(t, dataDir)
	wantRun(t, dir, "", 0, "2 written, 0 replaced", "import", "--data-dir="+dataDir, "comments.ndjson")
	const first = `{product(id:"42"){comments(first:1){nodes{commentId} pageInfo{endCursor hasNextPage}}}}`
	before := s.query(t, first)
	testkit.Check(t, strings.Contains(before, `"commentId":"b"`) && strings.Contains(before, `"hasNextPage":true`), "while it serves: %s", before)
	export := func(when string) {
		t.Helper()
		testkit.Equal(t, wantRun(t, dir, "", 0, "", "export", "--data-dir="+dataDir, "--product=42"), lines, "export %s", when)
	}
	export("while it serves")
	s.stop(t, syscall.SIGTERM)
	code := s.cmd.ProcessState.ExitCode()
	testkit.Check(t, code == 0, "it ended with %d:\n%s", code, s.log)
	// The data and the cursor key are kept.
	s = startServer(t, dataDir)
	testkit.Equal(t, s.query(t, first), before, "after a restart")
	// What it had acknowledged is there after a kill.
	s.stop(t, syscall.SIGKILL)
	export("after the kill")
}

func TestImportRefusesBadLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := "nonsense\n" + strings.Replace(lines, `"rating":4`, `"rating":6`, 1)
	out := wantRun(t, dir, bad, exitFound, "1 written, 0 replaced", "import", "--data-dir=data", "-")
	testkit.Check(t, strings.Contains(out, "2 refused"), "%v", out)
	rejects := read(t, dir, "stdin.rejects.ndjson")
	got := strings.Split(strings.TrimSpace(rejects), "\n")
	testkit.Check(t, len(got) == 2 && strings.Contains(got[1], "rating"), "%v", rejects)
}

// A shop's spreadsheet is imported without a map for its usual names, once it is said what becomes of
// hidden rows and half stars.
func TestImportOfAForeignSheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "shop.csv", "\ufeffProduct ID;Reviewer Name;Review Title;Body;Stars;Date;Lang;Published\n"+
		"42;Ann;Good;Fine;★★★★☆;2026-01-02;en_US;TRUE\n42;Bo;So so;Fair;3,5;2026-01-03;de;TRUE\n42;Cem;Bad;Spam;1;2026-01-04;en;FALSE\n")
	run := func(code int, want string, arguments ...string) string {
		t.Helper()
		return wantRun(t, dir, "", code, want, append([]string{"import", "--data-dir=data", "shop.csv"}, arguments...)...)
	}
	run(exitFailed, `shop.csv: the column "Published" has "FALSE"`)
	testkit.Equal(t, wantRun(t, dir, "", 0, "", "export", "--data-dir=data", "--product=42", "--unpublished"), "", "what is written before a decision")
	out := run(exitFound, "1 written, 0 replaced", "--map=Published=published")
	testkit.Check(t, strings.Contains(out, "2 refused"), "%s", out)
	testkit.Check(t, strings.Contains(read(t, dir, "shop.csv.rejects.ndjson"), "--ratings half-up"), "%s", read(t, dir, "shop.csv.rejects.ndjson"))
	run(exitFound, "1 written, 1 replaced", "--map=Published=published", "--ratings=half-up")
	exported := wantRun(t, dir, "", 0, "", "export", "--data-dir=data", "--product=42")
	for _, want := range []string{
		`"rating":4,"language":"de","createdAt":"2026-01-03T00:00:00Z","author":"Bo","title":"So so","text":"Fair"}`,
		`"rating":4,"language":"en-US","createdAt":"2026-01-02T00:00:00Z","author":"Ann","title":"Good","text":"Fine"}`,
	} {
		testkit.Check(t, strings.Contains(exported, want) && !strings.Contains(exported, "Spam"), "exported %s", exported)
	}
}

// The playground's queries and the README's are answered as in testdata/answers, the
// README's first one as printed there. Cursors differ with the key, and what is read with what the
// planner knows. Plans are shown.
func TestDemoAnswersAsTheREADMESays(t *testing.T) {
	t.Parallel()
	makefile := testkit.Value(os.ReadFile("../../Makefile"))(t)
	flags := regexp.MustCompile(`serve (--demo.*)`).FindSubmatch(makefile)
	testkit.Need(t, flags != nil, "make run shows no demo")
	data := filepath.Join(t.TempDir(), "data")
	s := startServer(t, data, strings.Fields(string(flags[1]))...)
	differs := regexp.MustCompile(`("cursor"|"endCursor"|"readUnits"|"roundTrips"|"charge"): ?("[^"]+"|[0-9.]+)`)
	spell := func(text []byte) string {
		var b bytes.Buffer
		err := json.Indent(&b, text, "", "  ")
		testkit.Need(t, err == nil, "%v: %s", err, text)
		return strings.TrimSpace(differs.ReplaceAllString(b.String(), "$1: …"))
	}
	answer := func(name string) string {
		return spell(testkit.Value(os.ReadFile(filepath.Join("testdata", "answers", name+".json")))(t))
	}
	readme := testkit.Value(os.ReadFile("../../README.md"))(t)
	queries := regexp.MustCompile("(?s)```graphql\n(.*?)```").FindAllSubmatch(readme, -1)
	printed := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(readme)
	testkit.Need(t, len(queries) >= 4 && printed != nil, "the README shows %d queries", len(queries))
	testkit.Equal(t, spell([]byte(s.query(t, string(queries[0][1])))), spell(printed[1]), "the README's answer")
	testkit.Equal(t, spell([]byte(s.post(t, httpapi.Example("newest-comments")))), answer("newest-comments"), "the first query")
	testkit.Equal(t, s.query(t, `{product(id:"42"){comments{plan{strategy}}}}`), `{"data":{"product":{"comments":{"plan":{"strategy":"SINGLE_PARTITION"}}}}}`, "the plan")
	if !testkit.All(t) && !*screenshots {
		return // what follows waits until all comments are counted, which takes half a minute of the processor
	}
	waitUntil(t, "the demo is loaded and counted", func() bool {
		return strings.TrimSpace(s.query(t, `{product(id:"42"){comments(language:"en",ratings:[4,5]){totalCount}stats{totalCount averageRating}}}`)) ==
			`{"data":{"product":{"comments":{"totalCount":2125},"stats":{"totalCount":6000,"averageRating":4.058833333333333}}}}`
	})
	waitUntil(t, "it costs half a unit once statistics are known", func() bool {
		return strings.Contains(s.post(t, httpapi.Example("newest-comments")), `,"readUnits":0.5,"roundTrips":1,"charge":`)
	})
	waitUntil(t, "the order by an attribute can be read", func() bool {
		return spell([]byte(s.post(t, httpapi.Example("most-comfortable-green")))) == answer("most-comfortable-green")
	})
	testkit.Equal(t, spell([]byte(s.by(t, data, demo.Visitor, access.Author, httpapi.Example("my-orders-and-comments")))), answer("my-orders-and-comments"), "the visitor's query")

	takePictures(t, s.url)
	for _, q := range queries {
		got := s.by(t, data, demo.Visitor, access.Author, string(q[1]))
		testkit.Check(t, !strings.Contains(got, `"errors"`), "%s\nis answered with\n%s", q[1], got)
	}
	useTheDemo(t, s.url+"/playground")
}

// tableCommands are the commands that open a table.
var tableCommands = []string{
	"serve", "import", "export", "project", "lambda", "explain", "stats verify", "stats rebuild", "stats scoring", "attributes status", "attributes fill",
	"product set", "product moderation", "product plain-languages", "user export", "user erase", "requests list", "requests cancel", "table upgrade",
}

func TestHelp(t *testing.T) {
	t.Parallel()
	wantRun(t, t.TempDir(), "", 0, "Usage: product-comments", "--help")
	for _, command := range append([]string{"token"}, tableCommands...) {
		var c commands
		var out strings.Builder
		parser := c.parser()
		parser.Stdout, parser.Exit = &out, func(int) {} // it continues after the help
		_, _ = parser.Parse(append(strings.Fields(command), "--help"))
		testkit.Check(t, strings.Contains(out.String(), "Usage: product-comments "+command) && strings.Contains(out.String(), "$DATA_DIR"), "%s --help:\n%s", command, &out)
	}
}
