package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/settings"
)

// wholeTable looks at every item when all is quiet: the model explains each of
// them, and none is missing that it demands. It has its own sums and its own meaning of
// attributes; copies, marks of owners and the queue are only spelled in the table, so
// verified compares them with the comments, and lists of them are compared with the model.
func (h *history) wholeTable() {
	m := h.model
	all := m.all()
	versions := h.versions()
	m.mu.Lock()
	defer m.mu.Unlock()
	x := &demanded{h: h, comments: map[string]*state{}, tallies: map[stats.Scope]*stats.Tally{}, scores: map[stats.Scope]int{},
		entries: map[columnEntry]wantedEntry{}, summaries: map[summaryOf]*tallied{}, versions: versions, decisions: map[string]int{}, reports: map[string]int{}, contacts: map[string]int{},
		orders: map[string]bool{}, lines: map[string]int{}, bought: map[[2]string]bool{}}
	for _, s := range all {
		x.comments[s.id] = s
		if !s.hidden() {
			x.expect(s)
			x.expectColumns(s)
		}
	}
	for _, it := range h.db.Items() {
		if wrong := x.take(it); wrong != "" {
			h.fail("table", "", "everything is quiet, but the item %s, %s: %s", text(it, key.PK), text(it, key.SK), wrong)
		}
	}
	x.checkVotes()
	x.checkOrders()
	x.checkCases()
	if !h.config.Skew && !h.config.Astray && len(h.erasures) == 0 {
		h.model.checkPaces()
	}
	maps.DeleteFunc(x.scores, func(_ stats.Scope, n int) bool { return n == 0 })
	for _, left := range []struct {
		what string
		n    int
		some any
	}{{"comments", len(x.comments), slices.Collect(maps.Keys(x.comments))}, {"statistics", len(x.tallies), slices.Collect(maps.Keys(x.tallies))}, {"scores", len(x.scores), x.scores}, {"entries of columns", len(x.entries), slices.Collect(maps.Keys(x.entries))}, {"statistics of attributes", len(x.summaries), slices.Collect(maps.Keys(x.summaries))}} {
		if left.n > 0 {
			h.fail("table", "", "everything is quiet, but the table lacks %d %s: %v", left.n, left.what, left.some)
		}
	}
}

// demanded contains the expected items of the table that have not been found.
type demanded struct {
	h         *history
	comments  map[string]*state
	tallies   map[stats.Scope]*stats.Tally
	scores    map[stats.Scope]int // the scores that statistics demand, less the scores of entries
	entries   map[columnEntry]wantedEntry
	summaries map[summaryOf]*tallied
	versions  map[string]string  // of the definitions, by product
	orders    map[string]bool    // that were found
	lines     map[string]int     // of orders, that were found
	bought    map[[2]string]bool // marks of purchases that were found
	decisions map[string]int     // that took a comment to another standing, by id
	reports   map[string]int     // by id
	contacts  map[string]int     // of reports by people without a token, by id
}

// expect notes the statistics that a comment demands.
func (x *demanded) expect(s *state) {
	for _, language := range []string{"", s.language} {
		scope := stats.Scope{ProductID: s.product, Language: language}
		if x.tallies[scope] == nil {
			x.tallies[scope] = &stats.Tally{}
		}
		x.tallies[scope][s.rating-1]++
	}
}

// take tells what is wrong with an item, "" if nothing is.
func (x *demanded) take(it item) string {
	pk, sk := text(it, key.PK), text(it, key.SK)
	if _, ok := key.CommentID(pk); ok {
		return x.comment(it)
	}
	if _, _, _, ok := key.ParsePowerSet(pk); ok || key.IsMark(pk, sk) || key.IsAuthored(pk, sk) || key.IsCasePart(pk) || key.IsMonthsPart(pk) {
		return "" // their indexes say what they should be, see verified
	}
	if wrong, ok := x.takeOrder(it, pk, sk); ok {
		return wrong
	}
	if id, ok := key.CaseOf(pk); ok {
		return x.ofCase(it, id, sk)
	}
	if sk == key.ReportPaceSK {
		if left := number(it, "expires", 0) - int(x.h.began.Unix()); left <= 0 {
			return "it stays for ever"
		}
		return ""
	}
	if _, _, _, ok := key.ParseColumn(pk); ok {
		return x.entry(it)
	}
	if _, _, ok := key.ParseSummariesSK(sk); ok {
		return x.summarized(it)
	}
	if key.AccessOf(key.Table, pk, sk) == key.AccessDefinitions || sk == key.ColumnsSK {
		return x.definition(it, pk, sk)
	}
	if strings.HasPrefix(pk, key.Votes("")) {
		return x.voted(it)
	}
	_, _, _, isNode := key.ParseNodeSK(sk)
	if _, isMonth := key.ParseMonthSK(sk); isNode || isMonth {
		return "" // as above
	}
	if product, ok := key.ProductID(pk); ok {
		return x.ofProduct(it, product, sk)
	}
	if id, ok := strings.CutPrefix(pk, "ENDPOINT#"); ok && sk == key.Progress && x.h.model.endpointDuring(id, x.h.until(), x.h.until())[0] == nil {
		return "there is no such endpoint"
	}
	if _, ok := key.PhotoOf(pk); ok { // see photosAre
		return ""
	}
	for _, prefix := range []string{"OUTBOX#", "ENDPOINT#", "ENDPOINTS"} { // see eventsAre
		if strings.HasPrefix(pk, prefix) {
			return ""
		}
	}
	if wrong, ok := x.request(it, pk); ok {
		return wrong
	}
	for _, prefix := range []string{"IDEMPOTENCY#", "CHECKPOINT#", "META#statistics", "META#probe-", "META#ready", "META#erasure-"} {
		if strings.HasPrefix(pk, prefix) && pk == sk {
			return ""
		}
	}
	return "nothing explains it"
}

func (x *demanded) comment(it item) string {
	s, err := decode(it)
	if s == nil && err == nil {
		return "" // what a deleted comment left behind
	}
	switch want := x.comments[s.id]; {
	case err != nil:
		return err.Error()
	case want == nil:
		return "there should be no such comment"
	case *s != *want:
		return fmt.Sprintf("it is %s, not %s", s, want)
	}
	if gen := number(it, "gen", 0); gen > x.h.model.meta().generation {
		return fmt.Sprintf("its generation %d is yet to come", gen)
	}
	delete(x.comments, s.id)
	if s.hidden() {
		return ""
	}
	if version := text(it, "av"); version != x.versions[s.product] {
		return fmt.Sprintf("it was written under the definitions %q, not %q", version, x.versions[s.product])
	}
	return shownWrong(it, s, x.h.model.meanings(s.product, x.h.until(), x.h.until())[0].meaning)
}

// ofProduct checks statistics.
func (x *demanded) ofProduct(it item, product, sk string) string {
	if sk == key.PowerSetSK {
		if x.h.model.meta().powerSets[product] == settings.IndexAbsent {
			return "its copies are not kept"
		}
		return ""
	}
	if language, ok := key.ParseScoreSK(sk); ok {
		return x.score(it, product, language)
	}
	language, ok := key.ParseStatisticsSK(sk)
	if !ok {
		return "nothing explains it"
	}
	scope := stats.Scope{ProductID: product, Language: language}
	want := x.tallies[scope]
	if want == nil && number(it, "count_total", 0) == 0 {
		return "" // what switches a power set on or off leaves such an item behind
	}
	if want == nil {
		return "there are no such comments"
	}
	delete(x.tallies, scope)
	x.scores[scope] += x.h.model.meta().scoring.of(*want)
	var got stats.Tally
	for i := range got {
		got[i] = number(it, fmt.Sprintf("count_%d", i+1), 0)
	}
	if got != *want || number(it, "count_total", -1) != want.Total() {
		return fmt.Sprintf("it counts %v, not %v", got, *want)
	}
	rank := ""
	if want[4] > 0 {
		rank = key.Rank{Number: want[4], ProductID: product}.SortKey()
	}
	if text(it, key.GSISK) != rank {
		return fmt.Sprintf("its rank is %q, not %q", text(it, key.GSISK), rank)
	}
	return ""
}

// ofCase takes what moderation keeps about a comment.
func (x *demanded) ofCase(it item, id, sk string) string {
	if sk == key.QueuedSK {
		return ""
	}
	if x.h.model.isOrphan(id, it) {
		return "its comment is gone"
	}
	if _, ok := key.ReportOf(sk); ok {
		x.reports[id]++
		if it["contact"] != nil {
			x.contacts[id]++
		}
		return ""
	}
	if text(it, "to") == "" {
		return "it is not a decision"
	}
	if text(it, "from") != text(it, "to") {
		x.decisions[id]++
	}
	return ""
}

// checkCases compares the history of each comment with the standings that it had, and
// reports with the ones that took effect. The model's lock is held.
func (x *demanded) checkCases() {
	for id, all := range x.h.model.comments {
		turns, reports := 0, 0
		for _, mo := range all {
			switch {
			case mo.after == nil:
			case mo.before == nil:
				turns += one(mo.after.hidden())
			case mo.before.standing != mo.after.standing:
				turns++
			}
			reports += one(mo.by != nil && (mo.by.verb == "report" || mo.by.verb == "notice"))
		}
		if s := x.h.model.now(id); s != nil && x.contacts[id] != s.notices {
			x.h.fail("table", id, "everything is quiet, but comment %s has %d contacts of %d notices", id, x.contacts[id], s.notices)
		}
		d := x.h.model.droppedOf(id)
		if x.decisions[id]+d.decisions != turns || x.reports[id]+d.reports != reports {
			x.h.fail("table", id, "everything is quiet, but comment %s has %d decisions of %d, and %d reports of %d, of which %d and %d were removed", id, x.decisions[id], turns, x.reports[id], reports, d.decisions, d.reports)
		}
	}
}
