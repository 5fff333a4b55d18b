package transfer

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := newShowing(Options{Progress: &out})
	p.on.Now = func() time.Time { return now }
	p.begin("a", 2000)
	for i := range 4 {
		now = now.Add(3 * time.Second)
		p.at(int64(i+1)*500, Counts{Lines: int64(i+1) * 1000, Refused: 1})
	}
	p.end(true, FileSummary{Counts: Counts{Refused: 1000}, Rejects: "/tmp/a.rejects"}, false)
	p.begin(stdin, -1)
	now = now.Add(time.Minute)
	p.at(500, Counts{Lines: 1000})
	p.end(false, FileSummary{}, false)
	want := "a: 2,000 lines, 1 refused (50 %, 6s left)\n" + "a: 4,000 lines, 1 refused (100 %, 0s left)\n" +
		"a: 1,000 refused, see /tmp/a.rejects\n" + "standard input: 1,000 lines, 0 refused\n"
	testkit.Equal(t, out.String(), want, "the lines")
}

func TestProgressBar(t *testing.T) {
	tests := []struct {
		name     string
		size     int64
		complete bool
		want     string
	}{
		{"a", 2000, true, "100%"},
		{"a", 2000, false, "0%"},
		{stdin, -1, true, "standard input"},
		{"empty", 0, true, ""},
	}
	for _, test := range tests {
		var out bytes.Buffer
		p := newShowing(Options{Progress: &out, Terminal: true})
		p.begin(test.name, test.size)
		p.at(1, Counts{Lines: 1000})
		p.end(test.complete, FileSummary{}, false)
		if !strings.Contains(out.String(), test.want) || test.want == "" && out.Len() > 0 || out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("%s of %d bytes: got %q", test.name, test.size, &out)
		}
	}
}

func TestProgressNowhere(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		p := newShowing(Options{Terminal: terminal})
		p.resumed("a", checkpoint{})
		p.begin("a", 1)
		p.at(1, Counts{})
		p.end(true, FileSummary{Counts: Counts{Refused: 1}}, false)
	}
}
