package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
)

// printed is a report of two places, as it goes to standard output.
const printed = `Pages a second:

| comments | from page | pages/s | part 3 | ratio | p50 ms |
| --- | --: | --: | --: | --: | --: |
| no filter | 1 | 2000 | 1000 | 2.00 | 8.3 |
| ratings < 3 | 500 | 1500 | 500 | 3.00 | 7.9 |

| comments | from page | read units | part 3 | cursor, characters |
| --- | --: | --: | --: | --: |
| no filter | 1 | 1.00 | 1.50 | 52 |
| ratings < 3 | 500 | 1.50 | 6.00 | 52 |

More.
`

func TestFiguresOfAReport(t *testing.T) {
	got, err := readFigures(printed)
	want := []figures{
		{"no filter", 1, [2]float64{2000, 1000}, [2]float64{1, 1.5}},
		{"ratings < 3", 500, [2]float64{1500, 500}, [2]float64{1.5, 6}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for what, report := range map[string]string{
		"nothing":        "",
		"no read units":  strings.Replace(printed, "read units", "others", 1),
		"another place":  strings.Replace(printed, "| ratings < 3 | 500 | 1.50", "| ratings < 3 | 499 | 1.50", 1),
		"a row less":     strings.Replace(printed, "| ratings < 3 | 500 | 1.50 | 6.00 | 52 |\n", "", 1),
		"not a figure":   strings.Replace(printed, "2000", "many", 1),
		"no page number": strings.Replace(printed, "| 500 | 1500", "| x | 1500", 1),
	} {
		if got, err := readFigures(report); err == nil {
			t.Errorf("%s: %+v without an error", what, got)
		}
	}
}

// Bars are as long as the figures say, the longest of each half as long as there is
// room, and each figure stands beside its bar.
func TestPlot(t *testing.T) {
	list, err := readFigures(printed)
	if err != nil {
		t.Fatal(err)
	}
	svg := plot(list)
	var widths, texts []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "rect" {
				widths = append(widths, token.Attr[2].Value+" "+token.Attr[4].Value)
			}
		case xml.CharData:
			texts = append(texts, strings.TrimSpace(string(token)))
		}
	}
	if want := []string{
		"13.0 ours", "13.0 part3", // the legend
		"280.0 ours", "140.0 part3", "210.0 ours", "70.0 part3",
		"46.7 ours", "70.0 part3", "70.0 ours", "280.0 part3",
	}; !reflect.DeepEqual(widths, want) {
		t.Errorf("the bars are %q, want %q", widths, want)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"no filter, page 1", "ratings < 3, page 500", "2000", "1000", "1500", "500", "1.00", "1.50", "6.00", "prefers-color-scheme:dark"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, svg)
		}
	}
}

// The plot in docs shows the tables in docs.
func TestPlotInDocs(t *testing.T) {
	report, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile("../../docs/benchmarks.svg")
	if err != nil {
		t.Fatal(err)
	}
	list, err := readFigures(string(report))
	if err != nil {
		t.Fatal(err)
	}
	if plot(list) != string(drawn) {
		t.Error("docs/benchmarks.svg does not show the tables of docs/benchmarks.md: go run ./tools/bench --from docs/benchmarks.md --plot docs/benchmarks.svg")
	}
}
