package command

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Wrong input of each command ends with a sentence on standard error that names
// what is wrong, and with nothing else: neither help, nor calls of a library.
func TestWrongInput(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>a shop</html>", http.StatusNotFound)
	}))
	defer other.Close()
	free := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	nobody := "http://" + free.Addr().String()
	testkit.Must(t, free.Close())
	keys := []string{"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b"}
	at := func(endpoint string, more ...string) []string { return append(more, endpointEnv+"="+endpoint) }
	const export = "export --product=42"
	damaged := t.TempDir()
	write(t, damaged, "comments.db", strings.Repeat("no database ", 1000))
	dir, secret := t.TempDir(), base64.StdEncoding.EncodeToString(make([]byte, 32))
	short, noKeys, words := write(t, dir, "short", "c2hvcnQ="), write(t, dir, "none.json", `{"keys":[]}`), write(t, dir, "words", "idiot\n???\n")
	for _, test := range []struct {
		want, arguments string
		environment     []string
	}{
		{`product-comments: expected one of "serve",`, "", nil},
		{`unexpected argument servee, did you mean "serve"?`, "servee", nil},
		{`unknown flag --memry, did you mean "--memory"?`, "serve --memry=1", nil},
		{`product-comments: --memory: "256" has no unit: write 256MiB for mebibytes`, "serve --memory=256", nil},
		{`--memory: "256" has no unit: write 256MiB for mebibytes or 256B for bytes (from envar MEMORY="256")`, "serve", []string{"MEMORY=256"}},
		{`--store-timeout: expected duration but got "5": time: missing unit`, "serve --store-timeout=5", nil},
		{`--max-cost: expected a valid 64 bit int but got "abc"`, "serve --max-cost=abc", nil},
		{`--log-level: slog: level string "loud": unknown name`, "serve --log-level=loud", nil},
		{"unexpected argument extra", "serve extra", nil},
		{`--drain-delay: expected duration but got "x"`, "project --drain-delay=x", nil},
		{`--engine must be one of "","embedded","dynamodb" but got "redis"`, "lambda --engine=redis", nil},
		{"product-comments: import: nothing to import", "import", nil},
		{`--format must be one of "","ndjson","csv" but got "xml"`, "import a --format=xml", nil},
		{`--map has "x" is neither COLUMN=FIELD nor the name of a ready map`, "import a --map=x", nil},
		{`--map has "a=Text": Text: unknown field; did you mean "text"?`, "import a --map=a=Text", nil},
		{`--default: expected "<key>=<value>" but got "language"`, "import a --default=language", nil},
		{`--default language: "English" is not a BCP 47 language tag`, "import a --default=language=English", nil},
		{"product-comments: export: missing flags: --product=ID or --orders", "export", nil},
		{`--product: "UHJvZHVjdDo3MjAw" reads as the global id of the Product "7200": give the Product's own id, or UHJvZHVjdDpVSEp2WkhWamREbzNNakF3 if`, "export --product=1 --product=UHJvZHVjdDo3MjAw", nil},
		{`--product: "UHJvZHVjdDo3MjAw" reads as`, "explain --product=UHJvZHVjdDo3MjAw", nil},
		{`<product>: "UHJvZHVjdDo3MjAw" reads as`, "product moderation UHJvZHVjdDo3MjAw off", nil},
		{`<subject>: "VXNlcjphbGljZQ" reads as the global id of the User "alice"`, "user erase VXNlcjphbGljZQ --comments=remove", nil},
		{"--subject: expected string value", "token --subject", nil},
		{"--subject", "token", nil},
		{"subject is", "token --subject= --data-dir=data", nil},
		{"--subject: the subject contains the invisible character U+200B", "token --subject=al\u200bice --data-dir=data", nil},
		{"--role", "token --subject=a --role=admin", nil},
		{"--ttl", "token --subject=a --ttl=-1h", nil},
		{"no secret", "token --subject=a --engine=dynamodb", nil},
		{"its issuer", "token --subject=a --auth-jwks-url=https://keys.example/", nil},
		{"not a role", "token --subject=a --auth-roles=x=admin", nil},
		{"no value of", "token --subject=a --role=moderator --auth-roles=x=author", nil},
		{"--ttl is 0s", "token --subject=a --ttl=0s", nil},
		{"--first and --last can't be used together", "explain --product=1 --first=1 --last=2", nil},
		{"--product", "explain", nil},
		{"--product: it is empty", "explain --product=", nil},
		{"--language: ", "explain --product=42 --language=nonsense!", nil},
		{"--ratings: 6 is not a rating from 1 to 5", "explain --product=42 --ratings=4,6", nil},
		{`--ratings: expected a valid 64 bit int but got "four"`, "explain --product=42 --ratings=four", nil},
		{`--order: "best" is not an order`, "explain --product=42 --order=best", nil},
		{"--first: 101 is not from 0 to 100", "explain --product=42 --first=101", nil},
		{"--last: -1 is not from 0 to 100", "explain --product=42 --last=-1", nil},
		{"--first: expected int value", "explain --product=1 --first", nil},
		{`--rate: expected a float but got "x"`, "stats verify --rate=x", nil},
		{`--rate: expected a float but got "x"`, "stats rebuild --rate=x", nil},
		{"the mean is 5.5; it may be 1 to 5", "stats scoring --mean=5.5", nil},
		{"the weight is -1; it may be 1 to 1000000", "stats scoring --weight=-1", nil},
		{"the least number of comments is 1000001; it may be 1 to 1000000", "stats scoring --least=1000001", nil},
		{`expected "<product>"`, "product plain-languages", nil},
		{"--projection", "product set 42", nil},
		{`--projection must be one of "power-set","indexes" but got "other"`, "product set 42 --projection=other", nil},
		{`expected "<subject>"`, "user export", nil},
		{"missing flags: --comments=remove|anonymous", "user erase alice", nil},
		{`--comments must be one of "remove","anonymous" but got "keep"`, "user erase alice --comments=keep", nil},
		{`<mode> must be one of "off","post","pre","shop" but got "never"`, "product moderation 42 never", nil},
		{"--reports is 0: it must be from 1 to 1000", "serve --reports=0", nil},
		{`--moderation must be one of "off","post","pre" but got "some"`, "serve --moderation=some", nil},
		{"product-comments: import: --orders excludes files", "import a --orders=b", nil},
		{"product-comments: import: --orders excludes --format=csv, --map,", "import --orders=b --map=a=text", nil},
		{"product-comments: import: --orders excludes --format=csv, --map,", "import --orders=b --infer-attributes", nil},
		{"product-comments: import: --orders excludes --format=csv, --map,", "import --orders=b --ratings=percent", nil},
		{"product-comments: export: --orders excludes --product", "export --orders --product=42", nil},
		{`unknown flag --aply, did you mean "--apply"?`, "table upgrade --aply", nil},
		{`--timeout: expected duration but got "3"`, "health --timeout=3", nil},

		{"--auth-jwks-url: http is accepted for this machine only", "serve --auth-jwks-url=http://keys.example/ --auth-issuer=i --auth-audience=a", nil},
		{"--auth-jwks-url requires --auth-issuer", "serve --auth-jwks-url=https://keys.example/ --auth-audience=a", nil},
		{"--auth-jwks-file requires --auth-audience", "serve --auth-issuer=i --auth-jwks-file=" + noKeys, nil},
		{"--auth-jwks-file: none of the key set's", "serve --auth-issuer=i --auth-audience=a --auth-jwks-file=" + noKeys, nil},
		{"--auth-jwks-file: open", "serve --auth-issuer=i --auth-audience=a --auth-jwks-file=none", nil},
		{"--auth-jwks-url and --auth-jwks-file exclude each other", "serve --auth-jwks-url=https://keys.example/ --auth-jwks-file=" + noKeys, nil},
		{"--auth-secret-file or AUTH_SECRET", "serve --auth-secret-file=" + short, nil},
		{"at least 32", "serve --auth-secret-file=" + short, nil},
		{`--auth-roles: "admin" is not a role`, "serve --auth-roles=boss=admin", nil},
		{`--auth-roles: "anonymous" is not a role`, "serve --auth-roles=boss=anonymous", nil},
		{"--anonymous-votes requires a secret: set VISITOR_SECRET or --visitor-secret-file", "serve --engine=dynamodb --anonymous-votes", nil},
		{"--visitor-secret-file has no effect without --anonymous-votes", "serve --visitor-secret-file=" + short, nil},
		{"--visitor-secret-file or VISITOR_SECRET", "serve --anonymous-votes --visitor-secret-file=" + short, nil},
		{"--rate-limit is 0, which --anonymous-votes does not allow", "serve --anonymous-votes --rate-limit=0", []string{"VISITOR_SECRET=" + secret}},
		{"--author-pace is -1", "serve --author-pace=-1", nil},
		{"--report-pace is -1", "serve --report-pace=-1", nil},
		{"--blocked-words", "serve --blocked-words=none", nil},
		{words + `: line 2: "???"`, "serve --blocked-words=" + words, nil},
		{"--cache-max-age is 1ms", "serve --cache-max-age=1ms", nil},
		{"--cache-max-age is -1s", "serve --cache-max-age=-1s", nil},
		{"--page-cache is -1s", "serve --page-cache=-1s", nil},
		{"--page-cache needs memory, but --page-cache-size", "serve --page-cache=1s --page-cache-size=0", nil},
		{"--rate-limit is -1", "serve --rate-limit=-1", nil},
		{"--read-unit-budget is -1", "serve --read-unit-budget=-1", nil},
		{`--trusted-proxies: "nginx"`, "serve --trusted-proxies=nginx", nil},
		{`--hosts has "https://shop.example"`, "serve --hosts=https://shop.example", nil},
		{`--hosts has "shop.example:80"`, "serve --hosts=shop.example:80", nil},
		{"--memory is 1000", "serve --memory=1000B", nil},
		{"--max-connections is 0", "serve --max-connections=0", nil},
		{`--origins has "https://shop.example/", which no browser sends: write https://shop.example`, "serve --origins=https://shop.example/", nil},
		{`--origins has "https://Shop.example"`, "serve --origins=https://shop.example,https://Shop.example", nil},
		{`--origins has "shop.example"`, "serve --origins=shop.example", nil},
		{`--origins has "https://shop.example:443"`, "serve --origins=https://shop.example:443", nil},
		{`--origins has "https://*.*.shop.example"`, "serve --origins=https://*.*.shop.example", nil},
		{`--origins has "https://bücher.example"`, "serve --origins=https://bücher.example", nil},
		{`--origins has "https://:8080"`, "serve --origins=https://:8080", nil},
		{"--allow-headers has", "serve --origins=https://shop.example,https://*.shop.example,http://localhost:*,http://[::1]:3000,capacitor://localhost,* --allow-headers=*", nil}, // after them
		{`--allow-headers has "X/Shop"`, "serve --origins=https://shop.example --allow-headers=X/Shop", nil},
		{`--allow-headers has "*"`, "serve --origins=https://shop.example --allow-headers=*", nil},
		{"--allow-headers has no effect without --origins", "serve --allow-headers=X-Shop-Session", nil},
		{"--staff=on needs a sign-in, since others can reach this address or the engine is not the embedded one: configure --staff-oidc-issuer", "serve --staff=on --addr=0.0.0.0:0", nil},
		{`--staff must be one of "","on","off" but got "yes"`, "serve --staff=yes", nil},
		{"--staff-oidc-client-id and --staff-oidc-client-secret-file have no effect without --staff-oidc-issuer", "serve --staff-oidc-client-id=a", nil},
		{"--staff-oidc-issuer requires --staff-oidc-client-id", "serve --staff-oidc-issuer=https://login.example/", nil},
		{"--staff-oidc-issuer: http is accepted for this machine only", "serve --staff-oidc-issuer=http://login.example/ --staff-oidc-client-id=a", nil},
		{"--staff-oidc-client-secret-file: open", "serve --staff-oidc-issuer=https://login.example/ --staff-oidc-client-id=a --staff-oidc-client-secret-file=none", nil},
		{"links sign in to servers of the embedded engine alone", "staff link --engine=dynamodb", nil},
		{"--subject: the subject is empty", "staff link --subject= --data-dir=data", nil},
		{`--role must be one of "moderator","service" but got "author"`, "staff link --role=author", nil},
		{"--attribute-group needs --infer-attributes", "import a --attribute-group=shoes", nil},
		{"--attribute-group: it has 65 bytes", "import a --infer-attributes --attribute-group=" + strings.Repeat("g", 65), nil},

		// Flags that go together are taken: what is wrong is read after them.
		{"--blocked-words: open", "serve --origins=https://shop.example --allow-headers=X-Shop-Session --blocked-words=none", nil},
		{"--blocked-words: open", "serve --cache-max-age=1s --page-cache=1s --page-cache-size=1B --blocked-words=none", nil},
		{`--map has "x"`, "import a --infer-attributes --map=x", nil},
		{`--map has "x"`, "import a --infer-attributes --attribute-group=shoes --map=x", nil},

		{"is damaged: restore a backup", export + " --data-dir=" + damaged, nil},
		{"no AWS region is configured: set AWS_REGION", export + " --engine=dynamodb", nil},
		{"no AWS credentials found: set AWS_ACCESS_KEY_ID", export + " --engine=dynamodb", []string{"AWS_REGION=eu-central-1"}},
		{"an engine on this machine usually accepts any", export, at(nobody)},
		{endpointEnv + ` is "localhost:8000": the scheme is missing; write http://localhost:8000`, export, at("localhost:8000", keys...)},
		{endpointEnv + ` is "ftp://localhost": its scheme must be http or https`, export, at("ftp://localhost", keys...)},
		{endpointEnv + ` is "http://:8000": the host is missing`, export, at("http://:8000", keys...)},
		{"nothing listens at " + nobody + ": check the port, and that DynamoDB is running there; the endpoint is configured by " + endpointEnv, export, at(nobody, keys...)},
		{"the server at " + other.URL + " is not DynamoDB; the endpoint is configured by " + endpointEnv, export, at(other.URL, keys...)},
		{"use http://", export, at(strings.Replace(other.URL, "http:", "https:", 1), keys...)},
		{"the server at " + other.URL, "table upgrade", at(other.URL, keys...)},
	} {
		here := t.TempDir()
		t.Chdir(here)
		said, out, status := inThisProcess(t, append([]string{"PATH=" + here, "HOME=" + here, "AWS_EC2_METADATA_DISABLED=true"}, test.environment...), strings.Fields(test.arguments))
		if status == 0 || status == exitFound || !strings.Contains(said, test.want) || out != "" || strings.Count(said, "\n") > 3 {
			t.Errorf("%s %q: %d\n%swant %s; standard output:\n%s", test.arguments, test.environment, status, said, test.want, out)
		}
		made, _ := os.ReadDir(here)
		testkit.Check(t, len(made) == 0 || !strings.HasPrefix(test.arguments, "explain"), "%s: it opened the data", test.arguments)
		for _, chain := range []string{"operation error", "exceeded maximum number of attempts", "RequestID"} {
			testkit.Check(t, !strings.Contains(said, chain), "%s: %s", test.arguments, said)
		}
	}
}

// inThisProcess runs a command as the program does, with an environment, and returns what it says on
// standard error and on standard output. Tests that use it must not be parallel: it changes
// variables of the whole process.
func inThisProcess(t *testing.T, environment, arguments []string) (said, out string, status int) {
	t.Helper()
	ours, args, stdout, stderr := os.Environ(), os.Args, os.Stdout, os.Stderr
	set := func(environment []string) {
		os.Clearenv()
		for _, v := range environment {
			name, value, _ := strings.Cut(v, "=")
			testkit.Must(t, os.Setenv(name, value))
		}
	}
	defer func() {
		set(ours)
		os.Args, os.Stdout, os.Stderr = args, stdout, stderr
	}()
	set(environment)
	dir := t.TempDir()
	os.Args = append([]string{program}, arguments...)
	os.Stdout, os.Stderr = testkit.Value(os.Create(filepath.Join(dir, "out")))(t), testkit.Value(os.Create(filepath.Join(dir, "said")))(t)
	defer os.Stdout.Close()
	defer os.Stderr.Close()
	status = Main()
	return read(t, dir, "said"), read(t, dir, "out"), status
}

// Commands that have nothing to do say why, and what to do.
func TestNothingToDo(t *testing.T) {
	dir := t.TempDir()
	wantRun(t, dir, lines, 0, "", "import", "--data-dir=data", "-")
	wantRun(t, dir, "", 0, "Check that this is the shop's own id", "product", "set", "4711", "--projection=indexes", "--data-dir=data")
	out := wantRun(t, dir, "", 0, "", "product", "set", "42", "--projection=indexes", "--data-dir=data")
	testkit.Check(t, !strings.Contains(out, "is unknown"), "%v", out)
	// A server without a projector says so, and tells operators.
	s := startServer(t, filepath.Join(dir, "data"), "--no-projector", "--admin-addr=127.0.0.1:0")
	got := get(t, s.operators(t)+"/readyz?verbose")
	testkit.Check(t, strings.Contains(got, "projector: not in this process; and none has ever run for this table"), "verbose: %s", got)
	s.stop(t, 15)
	testkit.Check(t, strings.Contains(s.log.String(), "no projector runs in this process, and none has ever run for this table"), "log: %s", s.log)
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"}}
	on := ", go1.26.0 " + runtime.GOOS + "/" + runtime.GOARCH
	if got, want := formatVersion(info), "product-comments v1.2.3, of an unknown commit"+on; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	if got, want := formatVersion(info), "product-comments v1.2.3, commit 0123456789ab of 2026-01-02T03:04:05Z with changes"+on; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out, log, status := run(t, t.TempDir(), "", "--version")
	want := regexp.MustCompile(`^product-comments \S+, (of an unknown commit|commit [0-9a-f]{12} of \S+Z( with changes)?), go\S+ \w+/\w+\n$`)
	testkit.Check(t, status == 0 && want.MatchString(out), "--version: %d %q %s", status, out, log)
}

func TestHealth(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	out, log, status := run(t, t.TempDir(), "", "health", server.URL+"/readyz")
	testkit.Check(t, status == 0 && out+log == "", "%d %s %s", status, out, log)
	wantRun(t, t.TempDir(), "", exitFailed, "503 Service Unavailable: the table does not answer", "health", server.URL+"/other")
	server.Close()
	wantRun(t, t.TempDir(), "", exitFailed, "refused", "health", server.URL+"/readyz")
}
