// Package monitoring holds a dashboard and alert rules. Its tests hold them, and the
// documentation, against the figures that a service really shows.
package monitoring

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store/derive/stream"
	"product-comments/store/errs"
	"product-comments/store/outbox"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// publishedKeys is a key set with one key.
const publishedKeys = `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`

// metric is what a service shows of one metric.
type metric struct {
	kind, help string
	labels     map[string]map[string]bool // name to values
}

// shown returns the figures of a service after some traffic, some of it bad.
func shown(t *testing.T) map[string]*metric {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	var service *httpapi.Service
	s := apitest.Serve(t, func(c *httpapi.Config) {
		c.CacheMaxAge = time.Second
		c.Projector = func() stream.Status {
			return stream.Status{Shards: []stream.ShardStatus{{ID: "shard-1"}}}
		}
		c.Limits.Slots = admission.NewPool(2, 2, 2, time.Second)
		c.Limits.Answers = admission.NewPool(1<<26, 1<<26, 2, time.Second)
		c.Limits.Bodies = admission.NewPool(1<<24, 1<<23, 2, time.Second)
		c.Limits.CostBudget = admission.NewBudget(1e6, nil)
		keys := auth.OpenKeys(t.Context(), func(context.Context) ([]byte, error) { return []byte(publishedKeys), nil }, "test", c.Log)
		t.Cleanup(keys.Close)
		c.Auth = auth.New(auth.Config{Secrets: [][]byte{make([]byte, 32)}, Roles: auth.DefaultRoles(), Keys: keys})
		testkit.Must(t, c.Telemetry.StartTraces(telemetry.Traces{Endpoint: collector.URL, Ratio: 1}))
		service = httpapi.New(*c)
	})
	s.Fill(t, apitest.Comments(20)...)
	s.Project(t)
	for range 3 {
		s.Post(t, `query Shown { product(id: "42") { comments(ratings: [1, 2]) { nodes { title } } } }`, nil)
	}
	s.Post(t, `{ nonsense }`, nil)
	s.Post(t, `mutation { deleteComment(input: {id: "nobody"}) { commentId } }`, nil)
	s.Telemetry.AuthFailed("expired")
	s.Telemetry.Queue(s.Store.Moderation().Counts)
	s.Telemetry.Delivered("x", outbox.Sent)
	s.Telemetry.Webhooks(func() []outbox.Status { return []outbox.Status{{Endpoint: "x"}} })
	s.Telemetry.Called(t.Context(), table.Call{Throttles: []table.Throttle{{Resource: "comments", Reason: "TableReadKeyRangeThroughputExceeded"}}})
	for r := range table.Results { // what a store that answers does not show
		s.Telemetry.Called(t.Context(), table.Call{Result: r})
	}
	for _, code := range []errs.Code{errs.Internal, errs.Unavailable} {
		s.Telemetry.Operation("Shown", string(code), time.Millisecond)
	}
	s.Telemetry.Close()

	w := httptest.NewRecorder()
	service.Operators().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found := map[string]*metric{}
	for name, f := range testkit.Value(parser.TextToMetricFamilies(w.Body))(t) {
		of := &metric{strings.ToLower(f.GetType().String()), f.GetHelp(), map[string]map[string]bool{}}
		for _, m := range f.GetMetric() {
			for _, label := range m.GetLabel() {
				if of.labels[label.GetName()] == nil {
					of.labels[label.GetName()] = map[string]bool{}
				}
				of.labels[label.GetName()][label.GetValue()] = true
			}
		}
		found[name] = of
	}
	return found
}

// family returns the metric that a sample is of: histograms have three kinds.
func family(found map[string]*metric, sample string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name := strings.TrimSuffix(sample, suffix)
		if of := found[name]; name != sample && of != nil && (of.kind == "histogram" || of.kind == "summary") {
			return name
		}
	}
	return sample
}

var (
	metricName = regexp.MustCompile(`\b((?:product_comments|go|process)_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	grouping   = regexp.MustCompile(`\b(?:by|without) \(([^)]*)\)`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
	rest       = regexp.MustCompile(`[a-z_][a-z_0-9]*`)
)

// words are what expressions have besides metrics and labels.
var words = []string{"sum", "rate", "by", "max", "min", "histogram_quantile", "absent", "or", "m", "h", "increase", "delta", "and", "unless", "__rate_interval"}

// check holds an expression against what is shown.
func check(t *testing.T, where, expression string, found map[string]*metric) {
	t.Helper()
	known := map[string]bool{"job": true, "instance": true} // Prometheus adds these
	names := metricName.FindAllStringSubmatch(expression, -1)
	testkit.Check(t, len(names) > 0, "%s has no metric: %s", where, expression)
	for _, m := range names {
		of := found[family(found, m[1])]
		if of == nil {
			t.Errorf("%s: no panel shows %s", where, m[1])
			continue
		}
		maps.Copy(known, map[string]bool{"le": of.kind == "histogram"})
		for label := range of.labels {
			known[label] = true
		}
		for _, c := range matcher.FindAllStringSubmatch(m[2], -1) {
			testkit.Check(t, known[c[1]], "%s: %s has no label %s", where, m[1], c[1])
			if slices.Contains([]string{"code", "result"}, c[1]) {
				for value := range strings.SplitSeq(c[3], "|") {
					testkit.Check(t, of.labels[c[1]][value], "%s: %s is never %q of %s", where, c[1], value, m[1])
				}
			}
		}
	}
	for _, m := range grouping.FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(m[1], ",") {
			testkit.Check(t, known[strings.TrimSpace(label)], "%s: grouped by %s, which no metric of it has: %s", where, label, expression)
		}
	}
	left := grouping.ReplaceAllString(quoted.ReplaceAllString(metricName.ReplaceAllString(expression, ""), ""), "")
	for _, word := range rest.FindAllString(left, -1) {
		testkit.Check(t, slices.Contains(words, word), "%s: what is %s in %s", where, word, expression)
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		testkit.Equal(t, strings.Count(expression, pair[:1]), strings.Count(expression, pair[1:]), "%s: brackets do not match: %s", where, expression)
	}
}

// What the dashboard and the alert rules name is shown, and docs/monitoring.md has all
// that is.
func TestMonitoringNamesWhatIsShown(t *testing.T) {
	found := shown(t)

	var dashboard struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr, LegendFormat string }
		}
	}
	text := testkit.Value(os.ReadFile("dashboard.json"))(t)
	testkit.Must(t, json.Unmarshal(text, &dashboard))
	for _, p := range dashboard.Panels {
		testkit.Check(t, p.Type == "row" || len(p.Targets) > 0, "panel %s shows nothing", p.Title)
		for _, target := range p.Targets {
			check(t, "panel "+p.Title, target.Expr, found)
		}
	}

	for _, r := range readRules(t) {
		check(t, "alert "+r.Alert, r.Expr, found)
		_, err := time.ParseDuration(r.For)
		testkit.Check(t, err == nil && r.Labels["severity"] != "" && r.Annotations["summary"] != "" && r.Annotations["what"] != "", "alert %s: %+v", r.Alert, r)
	}

	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		short, own := strings.CutPrefix(name, "product_comments_")
		if !own {
			continue
		}
		labels := strings.Join(slices.Sorted(maps.Keys(found[name].labels)), ", ")
		rows = append(rows, []string{"`" + short + "`", found[name].kind, labels, strings.TrimSuffix(found[name].help, ".")})
	}
	manual.Generated(t, "monitoring.md", "metrics", manual.Table([]string{"`product_comments_…`", "type", "labels", "what it is"}, rows))
}

// rule is one of alerts.yml.
type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readRules(t *testing.T) []rule {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	text := testkit.Value(os.ReadFile("alerts.yml"))(t)
	testkit.Must(t, yaml.Unmarshal(text, &file))
	testkit.Need(t, len(file.Groups) == 1 && len(file.Groups[0].Rules) >= 10, "rules: %+v", file)
	return file.Groups[0].Rules
}

// What ends a shop's service, or goes wrong without a visitor's notice, has a rule. Those
// about something that may be missing do not compare with what is missing then.
func TestWhatMustNotGoUnnoticed(t *testing.T) {
	rules := map[string]rule{}
	for _, r := range readRules(t) {
		rules[r.Alert] = r
	}
	for _, c := range []struct{ what, alert, severity, expression string }{
		{"no server is left", "CommentsNoServer", "page", "absent(product_comments_requests_running_limit)"},
		{"all of a few writes fail", "CommentsWritesFailing", "page", "sum(increase(product_comments_mutations_total{code=~\"INTERNAL|UNAVAILABLE\"}[15m])) > 1 unless sum(increase(product_comments_mutations_total{code=\"OK\"}[15m])) > 0"},
		{"keys are not read any more", "CommentsKeysStale", "page", "max(product_comments_auth_keys_age_seconds) > 3600"},
		{"comments are hidden by reports", "CommentsModerationQueueJumps", "page", "max(delta(product_comments_moderation_waiting[15m])) > 50"},
		{"moderators are behind", "CommentsModerationQueueGrows", "ticket", "max(product_comments_moderation_waiting) > 50 and max(delta(product_comments_moderation_waiting[6h])) > 0"},
	} {
		r, ok := rules[c.alert]
		testkit.Check(t, ok && r.Labels["severity"] == c.severity && strings.Join(strings.Fields(r.Expr), " ") == c.expression, "%s: %+v", c.what, r)
	}
}
