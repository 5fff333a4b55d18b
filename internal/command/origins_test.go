package command

import (
	"strings"
	"testing"

	"product-comments/internal/gate"
)

// What no browser would ever send is refused when the server starts, by the flag's
// name.
func TestOriginsAreChecked(t *testing.T) {
	for _, c := range []struct {
		origins gate.Origins
		headers []string
		want    string // in the error; none if empty
	}{
		{nil, nil, ""},
		{gate.Origins{"https://shop.example"}, []string{"X-Shop-Session"}, ""},
		{gate.Origins{"https://shop.example/"}, nil, `--origins: "https://shop.example/"`},
		{gate.Origins{"https://shop.example"}, []string{"X Shop"}, `--allow-headers has "X Shop"`},
		{gate.Origins{"https://shop.example"}, []string{"*"}, `--allow-headers has "*"`},
		{nil, []string{"X-Shop-Session"}, "--allow-headers is for pages of other sites"},
	} {
		s := serve{Origins: c.origins, AllowHeaders: c.headers}
		if err := s.checkOrigins(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: %v, want %q", c.origins, c.headers, err, c.want)
		}
	}
	dir := t.TempDir()
	if _, log, status := run(t, dir, "", "serve", "--addr=127.0.0.1:0", "--data-dir="+dir, "--origins=https://shop.example,https://Shop.example"); status == 0 || !strings.Contains(log, "--origins") {
		t.Errorf("%d %s", status, log)
	}
}
