package command

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"product-comments/internal/server/auth"
	"product-comments/internal/testing/testkit"
)

// A server has a desk where people can sign in: on its own machine by a link, elsewhere by a provider.
func TestWhereTheStaffSignsIn(t *testing.T) {
	t.Setenv(endpointEnv, "")
	t.Setenv(staffSecretEnv, "")
	provided := staffFlags{StaffIssuer: "https://login.example/", StaffClientID: "desk"}
	on := staffFlags{Staff: "on"}
	off := provided
	off.Staff = "off"
	for _, c := range []struct {
		engine, addr, address string
		flags                 staffFlags
		want                  string // none, link, provider, or what the error says
	}{
		{engineEmbedded, "127.0.0.1:0", "", staffFlags{}, "link"},
		{engineEmbedded, "[::1]:0", "", on, "link"},
		{engineEmbedded, "127.0.0.1:0", "https://reviews.example", on, "link"},
		{engineEmbedded, "0.0.0.0:0", "", staffFlags{}, "none"},
		{engineEmbedded, "0.0.0.0:0", "", on, "--staff=on needs a sign-in"},
		{engineDynamoDB, "127.0.0.1:0", "", staffFlags{}, "none"},
		{engineDynamoDB, "127.0.0.1:0", "", on, "--staff=on needs a sign-in"},
		{engineEmbedded, "127.0.0.1:0", "", staffFlags{Staff: "off"}, "none"},
		{engineDynamoDB, "0.0.0.0:0", "https://reviews.example", off, "none"},
		{engineDynamoDB, "0.0.0.0:0", "https://reviews.example", provided, "provider"},
		{engineEmbedded, "127.0.0.1:0", "", provided, "provider"},
		{engineEmbedded, "127.0.0.1:0", "http://localhost:8080", provided, "provider"},
		{engineDynamoDB, "0.0.0.0:0", "", provided, "requires an https --reviews-address"},
		{engineDynamoDB, "127.0.0.1:0", "", provided, "requires an https --reviews-address"},
		{engineEmbedded, "127.0.0.1:0", "", staffFlags{StaffIssuer: "https://login.example/", StaffClientID: "desk", StaffClientsFile: os.DevNull}, "/dev/null is empty"},
		{engineEmbedded, "0.0.0.0:0", "", provided, "requires an https --reviews-address"},
		{engineEmbedded, "127.0.0.1:0", "http://reviews.example", provided, "requires an https --reviews-address"},
	} {
		s := &serveCmd{Addr: c.addr}
		s.Engine, s.staffFlags, s.ReviewsAddress = c.engine, c.flags, c.address
		o, err := s.staff(auth.DefaultRoles())
		got := "none"
		switch {
		case err != nil:
			got = err.Error()
		case o != nil && o.Provider != nil:
			got = "provider"
		case o != nil:
			got = "link"
		}
		testkit.Check(t, strings.Contains(got, c.want), "%+v: %s", c, got)
	}
}

// The log of a server has a link, and a command prints others. Each works once, also after a restart; the
// session goes on.
func TestStaffLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	s := startServer(t, data)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	open := func(address, cookie string) *http.Response {
		t.Helper()
		r := testkit.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody))(t)
		r.Header.Set("Cookie", cookie)
		a := testkit.Value(client.Do(r))(t)
		_ = a.Body.Close()
		return a
	}
	host := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/")
	wantRun(t, dir, "", 1, "no server has data in", "staff", "link", "--data-dir=elsewhere") // a link with keys of no server
	printed := strings.TrimSpace(wantRun(t, dir, "", 0, "http://"+host+"/staff?code=", "staff", "link", "--data-dir="+data, "--addr="+host, "--role=moderator", "--subject=mia"))
	a := open(printed, "")
	testkit.Need(t, a.StatusCode == http.StatusSeeOther && len(a.Cookies()) == 1, "the link: %d %v", a.StatusCode, a.Header)
	session := a.Cookies()[0].Value
	testkit.Equal(t, open(printed, "").StatusCode, http.StatusForbidden, "again")
	s.stop(t, syscall.SIGTERM)
	logged := regexp.MustCompile(`url="(http://[^"]*/staff\?code=[^"]*)"`).FindAllStringSubmatch(s.log.String(), -1)
	testkit.Need(t, len(logged) == 1 && strings.HasPrefix(logged[0][1], "http://"+host+"/"), "the log: %s", s.log)
	testkit.Check(t, !strings.Contains(s.log.String(), printed[len(printed)-60:]), "the log has a link that was opened: %s", s.log)

	s = startServer(t, data)
	now := strings.TrimSuffix(s.url, "/")
	path := func(link string) string { return now + link[strings.Index(link, "/staff?"):] }
	testkit.Equal(t, open(path(printed), "").StatusCode, http.StatusForbidden, "again, after a restart")
	testkit.Equal(t, open(path(logged[0][1]), "").StatusCode, http.StatusSeeOther, "the logged link, after a restart")
	testkit.Equal(t, open(now+"/staff", "staff-"+now[strings.LastIndex(now, ":")+1:]+"="+session).StatusCode, http.StatusOK, "the session, after a restart")
}
