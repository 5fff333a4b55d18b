package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	items "product-comments/store/comment/item"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
)

// erase erases someone, while others write, and now and then while they do so themselves:
// then something of theirs may be left until it is done again. See finishErasures.
func erase(a *act) {
	who := a.someone([]string{"buyer", "owner", "voter", "reporter", "moderator"}[a.IntN(5)], someBuyers)
	if s := a.model.standsAs(a.model.someID(a)); s != nil && s.owner != "" && a.chance(0.5) {
		who = s.owner
	}
	if a.config.Requests && a.chance(0.5) {
		who = a.theOrder(a.IntN(a.someOrders())).Username
	}
	anonymous := a.chance(0.5)
	if !a.hasEnded(who) && a.chance(0.5) && !a.endTokens(who) {
		return
	}
	stop := 0
	if a.chance(0.4) {
		stop = a.IntN(18) - 5
	}
	if a.config.Moderated && a.chance(0.5) {
		defer a.reportedMeanwhile(who)()
	}
	a.erases(erasure{who, anonymous, stop})
}

// erasure is that of a person. It is stopped at that of its writes, or, if the number is
// negative, as soon as it removed a comment.
type erasure struct {
	Who       string
	Anonymous bool
	Stop      int
}

// erases erases a person, and looks for the rest if nothing could be written in the meantime.
func (a *act) erases(e erasure) {
	a.history.mu.Lock()
	a.erasures[e.Who] = e.Anonymous
	a.history.mu.Unlock()
	ended := a.hasEnded(e.Who)
	if _, err := a.erased(e); err != nil || !ended {
		return
	}
	a.marks.add("a person was erased while others wrote")
	all := a.db.Items()
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	for _, it := range all {
		if followsStream(it) {
			continue
		}
		a.noTraceIn(it, []string{e.Who}, nil)
	}
}

// reportedMeanwhile lets others report what someone wrote who is being erased, until done
// returns.
func (a *act) reportedMeanwhile(who string) (done func()) {
	var all sync.WaitGroup
	for _, s := range a.model.all() {
		if s.owner != who || s.hidden() {
			continue
		}
		d := a.history.dice(s.id)
		all.Go(func() {
			if a.sleep(d.duration(time.Millisecond, 20*max(a.config.Calls.Latency, time.Millisecond))) {
				a.history.step(actor{step: func(a *act) { a.reports(reporting{s.id, a.someone("reporter", 4)}) }}, d, a.who+"-"+s.id)
			}
		})
	}
	return all.Wait
}

// erased erases a person, and checks what that writes.
func (a *act) erased(e erasure) (store.Erased, error) {
	c, ctx := a.begin("erase", e)
	who, anonymous, stop := e.Who, e.Anonymous, e.Stop
	c.erases, c.stopped = who, stop
	c.casts = func(on, by string, is votes.Vote) string {
		all := a.model.casts[[2]string{on, by}]
		if by != string(key.VoterOf(who)) || !all[len(all)-1].erased {
			return "it is another's vote, or was not erased"
		}
		return ""
	}
	c.explain = func(before, after *state) string {
		if before == nil {
			return "an erasure made a comment"
		}
		if after == nil {
			wasHidden := slices.ContainsFunc(a.model.during(before.id, c.began, time.Now()), func(s *state) bool { return s != nil && s.hidden() })
			if before.owner != who || anonymous && !wasHidden { // it may be approved just then
				return "an erasure removed a comment that was to stay"
			}
			if stop < 0 {
				go a.server.kill()
			}
			return ""
		}
		want := *before
		if after.up != before.up || after.down != before.down { // the vote's own item follows
			vote := a.model.standing(before.id, string(key.VoterOf(who)), before.ballot)
			want.up -= one(vote == votes.Helpful)
			want.down -= one(vote == votes.Unhelpful)
		}
		if want == *before {
			if want.owner, want.author, want.photos = "", "", ""; !anonymous || before.owner != who || before.hidden() {
				return "an erasure changed a comment that it was not to"
			}
			a.marks.add("a comment lost its owner")
		}
		if *after != want {
			return "the erasure did not do what it was to do"
		}
		return ""
	}
	c.orders = func(_ string, before, after placedOrder) string {
		want := before
		want.whose = after.whose
		if before.whose != who || !after.nobodys() || after != want {
			return "the erasure did not do what it was to do"
		}
		a.marks.add("an order became anonymous")
		return ""
	}
	did, err := a.server.store.Erase(ctx, store.Erasure{Subject: who, Anonymous: anonymous})
	a.end(c, err, "%+v", did)
	if err != nil {
		a.tolerable(c, err)
		a.model.mu.Lock()
		defer a.model.mu.Unlock()
		if c.erasures > 0 {
			a.marks.add("an erasure was stopped half-way")
		}
	}
	return did, err
}

// besideOf counts what was removed of what is kept next to a comment.
type besideOf struct{ decisions, reports int }

// droppedOf returns it for a comment. The caller holds the lock.
func (m *model) droppedOf(id string) *besideOf {
	if m.dropped[id] == nil {
		m.dropped[id] = &besideOf{}
	}
	return m.dropped[id]
}

// isOrphan reports whether what is kept next to a comment belongs to none that is there. The caller holds the lock.
func (m *model) isOrphan(id string, it item) bool {
	s := m.now(id)
	if _, isVote := key.VotesOf(text(it, key.PK)); isVote {
		return s == nil || s.ballot != text(it, "ballot")
	}
	return s == nil || m.born[id] != string(items.BornOf(it))
}

// besides takes a change of what is kept next to a comment: while that is there, only erasures
// remove of it, or change it. The caller holds the lock.
func (m *model) besides(by *call, c double.Change) {
	if len(c.Before) == 0 || text(c.Before, key.SK) == key.QueuedSK {
		return
	}
	id, _ := key.CaseOf(text(c.Before, key.PK))
	d, who := m.droppedOf(id), ""
	if by != nil {
		who = by.erases
	}
	reporter, isReport := key.ReportOf(text(c.Before, key.SK))
	orphan := m.isOrphan(id, c.Before)
	switch {
	case len(c.After) == 0 && isReport && (orphan || who != "" && reporter == who):
		d.reports++
	case len(c.After) == 0 && !isReport && orphan:
		m.h.marks.add("decisions about a deleted comment were removed")
		d.decisions += one(text(c.Before, "from") != text(c.Before, "to"))
	case len(c.After) > 0 && isReport && by != nil && (by.verb == "decide" || by.verb == "dismiss reports") && c.Before["contact"] != nil && c.After["contact"] == nil && text(c.Before, "at") == text(c.After, "at"):
		m.h.marks.add("a decision forgot who made a notice")
	case len(c.After) > 0 && isReport && by != nil && (by.verb == "report" || by.verb == "notice") && string(items.BornOf(c.Before)) != string(items.BornOf(c.After)):
		d.reports++ // of a comment that had the id before
		m.h.marks.add("a report took the place of one of a former comment")
	case len(c.After) > 0 && who != "" && text(c.Before, "by") == who && text(c.After, "by") == "":
		m.h.marks.add("a decision became anonymous")
	default:
		m.h.fail("write", id, "%s changed what is kept with comment %s, which it must not: %v → %v", by, id, c.Before, c.After)
	}
}

// finishErasures erases everybody once more who was to be erased, when no one writes any
// more: what was stopped is finished, and what was missed is found. To do so again finds
// nothing.
func (h *history) finishErasures() bool {
	if len(h.erasures) == 0 {
		return true
	}
	for _, who := range slices.Sorted(maps.Keys(h.erasures)) {
		operator := h.start("operator", 0)
		a := &act{history: h, server: operator, dice: h.dice("finish")}
		e := erasure{Who: who, Anonymous: h.erasures[who]}
		_, err := a.erased(e)
		again := store.Erased{}
		if err == nil {
			again, err = a.erased(e)
		}
		operator.kill()
		if err != nil {
			h.fail("stuck", "", "everything is quiet, but %q cannot be erased: %v", who, err)
			return false
		}
		if again.ID = ""; again != (store.Erased{}) {
			h.fail("erasure", "", "%q was erased, but to do so again found %+v", who, again)
		}
	}
	return h.settled()
}

// noTraces scans the whole table, with its indexes, for what names someone who was
// erased, and for words of comments that were removed with them.
func (h *history) noTraces() {
	if len(h.erasures) == 0 {
		return
	}
	all := append(h.db.Items(), h.db.Indexed()...)
	h.model.mu.Lock()
	defer h.model.mu.Unlock()
	names, words := slices.Sorted(maps.Keys(h.erasures)), h.model.removedWords()
	for _, it := range all {
		h.noTraceIn(it, names, words)
	}
	if len(words) > 0 {
		h.marks.add("the table was searched for words of removed comments")
	}
	h.marks.add("the table was searched for names of people who were erased")
}

// removedWords returns the words of all comments that erasures removed, but for those
// that a comment has: an import may have brought them again. The caller holds the lock.
func (m *model) removedWords() (all []string) {
	kept := map[string]bool{}
	for _, id := range m.ids {
		if s := m.now(id); s != nil {
			kept[s.title], kept[unlike(s.text)] = true, true
		}
	}
	for _, id := range m.ids {
		owner := ""
		for _, mo := range slices.Backward(m.comments[id]) {
			if mo.after == nil && mo.by != nil && mo.by.erases != "" {
				owner = mo.by.erases
			}
			if s := mo.before; owner == "" || s == nil || s.owner != owner {
				owner = ""
				continue
			}
			for _, w := range []string{mo.before.title, unlike(mo.before.text)} {
				if w != "" && !kept[w] {
					all = append(all, w)
				}
			}
		}
	}
	return all
}

// unlike returns the part of a text that no other has.
func unlike(text string) string { return text[:min(len(text), len("123456 1234567890"))] }

// followsStream reports whether an item is kept from the table's stream, and so may show for
// a moment what was.
func followsStream(it item) bool {
	_, _, _, isCopy := key.ParsePowerSet(text(it, key.PK))
	_, _, _, isEntry := key.ParseColumn(text(it, key.PK))
	return isCopy || isEntry
}

// noTraceIn looks for names, however they are spelled, and words in an item, compressed ones,
// too. The model's lock is held.
func (h *history) noTraceIn(it item, names, words []string) {
	if isEvent(text(it, key.PK), text(it, key.SK)) {
		return // it expires, see delivered
	}
	sought := slices.Clone(words)
	for _, name := range names {
		sought = append(sought, name, strings.TrimPrefix(key.User(name), key.User("")))
	}
	found := ""
	look := func(s string) {
		for _, want := range sought {
			if strings.Contains(s, want) {
				found = want
			}
		}
	}
	for name, v := range it {
		look(name)
		eachText(v, look)
	}
	if words, _ := unpacked(it); words != nil { // other checks tell of the ones that cannot be read
		look(words.Title + "\n" + words.Text + "\n" + words.Author)
	}
	if found != "" {
		h.fail("erasure", "", "%q is in the table: the item %s, %s: %s", found, text(it, key.PK), text(it, key.SK), spell(it))
	}
}

// eachText calls each with every text in a value.
func eachText(v types.AttributeValue, each func(string)) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		each(v.Value)
	case *types.AttributeValueMemberB:
		each(string(v.Value))
	case *types.AttributeValueMemberSS:
		for _, s := range v.Value {
			each(s)
		}
	case *types.AttributeValueMemberBS:
		for _, b := range v.Value {
			each(string(b))
		}
	case *types.AttributeValueMemberL:
		for _, in := range v.Value {
			eachText(in, each)
		}
	case *types.AttributeValueMemberM:
		for name, in := range v.Value {
			each(name)
			eachText(in, each)
		}
	}
}

// spell spells the attributes of an item.
func spell(it item) string {
	var b strings.Builder
	for name, v := range it {
		fmt.Fprintf(&b, "%s ", name)
		eachText(v, func(s string) { fmt.Fprintf(&b, "%q ", shorten(s, 24)) })
	}
	return b.String()
}
