package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"product-comments/store"
)

// script is a history as text: what a person can read, edit and play again. Its first two
// lines are the seed and the configuration, the others one operation each:
//
//	1.52s  actor0  server0  update  {"ID":"$7","Title":"a new one"}
//
// The columns are the time, the actor, the process, the verb and the arguments without zero fields.
// An actor executes its operations in sequence, even if the next one is due. The field As of a create
// names the new comment for all other operations. In a drawn history, actors and chaos draw their
// operations. In a replay, the script has all of them. A replay draws only the faults of single calls
// of DynamoDB, from the seed and the content of each call.
type script struct {
	seed   uint64
	config config
	lines  []line // nil if actors are yet to draw them
}

// drawn returns the script of a seed before its operations are drawn.
func drawn(seed uint64) script { return script{seed: seed, config: draw(seed)} }

// line is an operation.
type line struct {
	at               time.Duration // since the history began
	who, where, verb string
	args             any // as drawn, or a json.RawMessage
}

// verbs are all operations, by name.
var verbs map[string]func(*act, []byte) error

func init() { // they note themselves by these names
	verbs = map[string]func(*act, []byte) error{
		"create":           verb((*act).creates),
		"update":           verb((*act).updates),
		"delete":           verb((*act).deletes),
		"get":              verb((*act).gets),
		"upload":           verb((*act).uploads),
		"remove photo":     verb((*act).removesPhoto),
		"vote":             verb((*act).casts),
		"decide":           verb((*act).decides),
		"report":           verb((*act).reports),
		"notice":           verb((*act).notices),
		"dismiss reports":  verb((*act).dismissesReports),
		"reply":            verb((*act).replies),
		"queue":            verb(func(a *act, q store.Queue) { a.readQueue(q, false) }),
		"define":           verb((*act).defines),
		"assign":           verb((*act).assigns),
		"filters":          verb(func(a *act, f filtering) { a.filters(f) }),
		"page":             verb(func(a *act, r reading) { _, _ = a.readPage(r) }),
		"numbers":          verb((*act).numbers),
		"timeline":         verb((*act).timeline),
		"statistics":       verb((*act).counts),
		"values":           verb((*act).values),
		"leaderboard":      verb((*act).leaders),
		"scoring":          verb((*act).setsScoring),
		"record order":     verb((*act).recordsOrder),
		"set order status": verb((*act).setsStatus),
		"open orders":      verb((*act).openOrders),
		"orders":           verb((*act).ordersOf),
		"order by id":      verb((*act).seeOrder),
		"import":           verb(func(a *act, file []store.Comment) { _ = a.imports(file) }),
		"end tokens":       verb(func(a *act, who string) { a.endTokens(who) }),
		"erase":            verb((*act).erases),
		"fill":             verb((*act).fills),
		"verify":           verb((*act).verification),
		"power set":        verb((*act).switches),
		"rebuild":          verb((*act).rebuilds),
		"webhooks":         verb((*act).hooks),
		"request":          verb((*act).requests),

		"befall":            verb((*act).befalls),
		"kill":              verb((*act).kills),
		"reshard":           verb((*act).reshards),
		"replace server":    verb((*act).replacesServer),
		"replace projector": verb((*act).replacesProjector),
		"project":           verb(func(a *act, o offset) { a.project(o) }),
		"catch up":          verb((*act).catchesUp),
		"make old":          verb((*act).makesOld),
		"wait":              verb((*act).waits),
	}
}

// verb returns a function that decodes an operation's arguments and executes it.
func verb[T any](do func(*act, T)) func(*act, []byte) error {
	return func(a *act, text []byte) error {
		var args T
		if err := json.Unmarshal(text, &args); err != nil {
			return err
		}
		do(a, args)
		return nil
	}
}

// nothing is the type of no arguments.
type nothing struct{}

// note notes an operation that begins. What is done when all is quiet is no operation.
func (a *act) note(verb string, args any) {
	h := a.history
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.calm {
		h.noted = append(h.noted, line{time.Since(h.began), a.who, a.where, verb, args})
	}
}

// sparse returns a value as it is written: without fields that are zero.
func sparse(v reflect.Value) any {
	switch {
	case !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case v.Type().Implements(reflect.TypeFor[json.Marshaler]()):
		return v.Interface()
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return sparse(v.Elem())
	case v.Kind() == reflect.Struct && (v.NumField() == 0 || v.Type().Field(0).Tag == ""):
		fields := map[string]any{}
		for f, v := range v.Fields() {
			switch {
			case f.Anonymous:
				maps.Copy(fields, sparse(v).(map[string]any))
			case f.IsExported() && f.Type.Kind() != reflect.Func && !v.IsZero():
				fields[f.Name] = sparse(v)
			}
		}
		return fields
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		all := make([]any, v.Len())
		for i := range all {
			all[i] = sparse(v.Index(i))
		}
		return all
	}
	return v.Interface()
}

func asText(v any) string {
	text, err := json.Marshal(sparse(reflect.ValueOf(v)))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// String returns the text of the script, which parse reads.
func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d\nconfig %s\n", s.seed, asText(s.config))
	for _, l := range s.lines {
		fmt.Fprintln(&b, l)
	}
	b.WriteString("end\n")
	return b.String()
}

func (l line) String() string {
	return fmt.Sprintf("%-16s %-11s %-13s %-16s %s", l.at, l.who, l.where, l.verb, asText(l.args))
}

var (
	spelledLine = regexp.MustCompile(`^(\S+)\s+(\S+)\s+(\S+)\s+([a-z ]*[a-z])\s+(\S.*)$`)
	spelledName = regexp.MustCompile(`\$\d+`)
)

// parse reads a script within a text, such as the output of a test: from the line with the
// seed until that of the end.
func parse(text string) (script, error) {
	s := script{}
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		seed, begins := strings.CutPrefix(l, "seed ")
		config, configures := strings.CutPrefix(l, "config ")
		var err error
		switch {
		case begins:
			s.lines = []line{}
			s.seed, err = strconv.ParseUint(seed, 10, 64)
		case s.lines == nil || l == "" || strings.HasPrefix(l, "//"):
		case configures:
			err = json.Unmarshal([]byte(config), &s.config)
		case l == "end":
			return s, nil
		default:
			s.lines = append(s.lines, line{})
			err = s.lines[len(s.lines)-1].parse(l)
		}
		if err != nil {
			return s, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return s, errors.New("a script begins with a line such as seed 42, and ends with the line end")
}

func (l *line) parse(text string) (err error) {
	m := spelledLine.FindStringSubmatch(text)
	if m == nil || verbs[m[4]] == nil {
		return fmt.Errorf("no operation: %s", text)
	}
	l.who, l.where, l.verb, l.args = m[2], m[3], m[4], json.RawMessage(m[5])
	l.at, err = time.ParseDuration(m[1])
	return err
}

// script returns the operations so far, with names instead of the ids of comments that
// were made.
func (h *history) script() script {
	h.model.mu.Lock()
	names := []string{}
	for name, id := range h.model.named {
		names = append(names, id, name)
	}
	h.model.mu.Unlock()
	called := strings.NewReplacer(names...)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := script{h.seed, h.config, slices.Clone(h.noted)}
	for i := range s.lines {
		s.lines[i].args = json.RawMessage(called.Replace(asText(s.lines[i].args)))
	}
	return s
}

// playLines plays lines: actors at the same time, the lines of each actor one after the other.
func (h *history) playLines(lines []line) {
	var all sync.WaitGroup
	by := map[string][]line{}
	for _, l := range lines {
		by[l.who] = append(by[l.who], l)
	}
	for _, mine := range by {
		all.Go(func() {
			for i, l := range mine {
				if !h.sleep(l.at - time.Since(h.began)) {
					return
				}
				a := &act{history: h, server: h.processOf(l.where), who: l.who, where: l.where}
				if err := verbs[l.verb](a, h.model.identified(l.args.(json.RawMessage))); err != nil {
					h.fail("script", "", "%s: %v", l, err)
				}
				if a.server != nil && strings.HasPrefix(l.where, "operator") && (i+1 == len(mine) || mine[i+1].where != l.where) {
					a.server.kill()
				}
			}
		})
	}
	all.Wait()
}

// identified returns arguments with the ids of comments instead of their names.
func (m *model) identified(args []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return spelledName.ReplaceAllFunc(args, func(name []byte) []byte {
		if id := m.named[string(name)]; id != "" {
			return []byte(id)
		}
		return name
	})
}

// processOf returns the process in which an operation is done: a server by its number, an
// operator's command by its name, which begins with its first operation.
func (h *history) processOf(where string) *process {
	if n, ok := strings.CutPrefix(where, "server"); ok {
		i, _ := strconv.Atoi(n)
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.servers[i%len(h.servers)]
	}
	if p := h.process(where); p != nil || !strings.HasPrefix(where, "operator") {
		return p
	}
	return h.startAs("operator", where, 0)
}
