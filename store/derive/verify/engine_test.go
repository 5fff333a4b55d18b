package verify_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/derive/index"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// run is a history of comments, and processes that project its records: in pieces, repeatedly, in
// any order that keeps the order within a shard and between parent and child, and dying at any of
// their transactions.
type run struct {
	*testing.T
	*rand.Rand
	db      *double.DB
	client  *double.Client
	s, late *store.Store // write comments; one may know definitions that are not a product's any more
	arn     string
	shards  map[string]*shard // by id
	living  [2]*process
	between bool // a process projects between what the other one reads and writes
	log     []string
	photo   int // the number of the last one
}

// shard is a shard of the stream.
type shard struct {
	parent  string // empty of the first ones
	records []index.Record
	closed  bool
}

var (
	// products are projected by one lane, the last two in one bucket. The first two have power sets.
	products  = []string{"p1", "p9", "p47"}
	languages = []string{"en", "de"}
	ids       = func() (all []string) { // in few parts of the queue, so that comments share its counts
		for i := 0; len(all) < 6; i++ {
			if id := fmt.Sprint("c", i); key.QueuePart(id) < 2 {
				all = append(all, id)
			}
		}
		return all
	}()
)

const size, fit = "size", "fit"

// TestEveryIndexIsARecount plays histories, ENGINE_HISTORIES of them.
func TestEveryIndexIsARecount(t *testing.T) {
	n := 16
	if testkit.All(t) {
		n = 80
	}
	if s := os.Getenv("ENGINE_HISTORIES"); s != "" {
		n = testkit.Value(strconv.Atoi(s))(t)
	}
	seed := testkit.Seed(t)
	for i := range uint64(n) {
		synctest.Test(t, func(t *testing.T) {
			r := newRun(t, rand.New(rand.NewPCG(seed, i)))
			for range 30 + r.IntN(60) {
				r.turn()
			}
			r.settle()
			found, err := verify.Run(t.Context(), r.s.Projector(), verify.Options{})
			testkit.Check(t, err == nil && found.State == settings.StateKept && len(found.Differences) == 0, "%+v, %v", found, err)
			r.counts()
			r.photos()
			r.names()
			r.lists()
			if t.Failed() {
				t.Fatalf("history %d of seed %d:\n%s", i, seed, strings.Join(r.log, "\n"))
			}
		})
	}
}

func newRun(t *testing.T, r *rand.Rand) *run {
	run := &run{T: t, Rand: r, db: double.New(double.Options{Seed: r.Uint64(), Shards: 1 + r.IntN(3)}), shards: map[string]*shard{}}
	run.client = run.db.Client("writer")
	run.s, run.late = run.open(run.client, time.Nanosecond), run.open(run.client, time.Hour)
	testkit.Must(t, run.s.EnsureTable(t.Context(), true))
	run.arn = testkit.Value(run.s.Projector().Table().StreamARN(t.Context()))(t)
	testkit.Value(run.s.Projector().Prepare(t.Context(), run.arn))(t)
	testkit.Value(run.s.Settings().ChangeWith(t.Context(), func(now *settings.Settings) (writes []table.Write, changed bool, err error) {
		now.PowerSets = map[string]settings.IndexState{}
		for _, product := range products[:2] {
			now.PowerSets[product] = settings.IndexReadable
			writes = append(writes, table.Write{Put: with(table.KeyOf(key.Product(product), key.PowerSetSK), "rev", table.N(1))})
		}
		return writes, true, nil
	}))(t)
	for _, product := range products[:2] {
		run.define(product)
	}
	return run
}

func (r *run) open(api store.API, age time.Duration) *store.Store {
	return store.New(api, "comments", store.Options{PageSizes: tree.Sizes{Listed: 30, Node: 30, Below: 2, Root: 30}, PlaceAge: -1, MetaAge: age, Moderation: moderation.Options{Mode: moderation.Post, Reports: 1}})
}

func (r *run) say(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }
func one[T any](r *run, of ...T) T            { return of[r.IntN(len(of))] }

// turn makes a change of a comment, of definitions or of the stream's shards, or lets a
// process project.
func (r *run) turn() {
	ctx, id, s := r.Context(), one(r, ids...), one(r, r.s, r.s, r.late)
	var err error
	switch r.IntN(14) {
	case 0, 1, 2, 3, 4:
		c := store.Comment{ID: id, ProductID: one(r, products...), Language: one(r, languages...), Rating: one(r, 1, 5, 5), CreatedAt: time.Unix(int64(1_700_000_000+r.IntN(3)), 0).UTC(), Owner: one(r, "", "alice")}
		c.State = one(r, item.Published, item.Published, item.Pending)
		c.Attributes, c.Helpful = one(r, nil, json.RawMessage(`{"fit":1}`), json.RawMessage(`{"fit":2.5,"size":"S"}`), json.RawMessage(`{"size":"M"}`), json.RawMessage(`{"fit":"no"}`)), one(r, nil, new(2))
		c.Photos = one(r, nil, nil, r.uploaded(1))
		r.say("import %s of %s: %s %d, %s, state %v, %s, %d photos", id, c.ProductID, c.Language, c.Rating, c.Attributes, c.State, c.CreatedAt, len(c.Photos))
		_, err = s.Import(ctx, []store.Comment{c})
	case 5:
		r.say("edit %s", id)
		_, err = s.Update(ctx, store.Change{ID: id, Rating: new(1 + r.IntN(5)), Language: &languages[r.IntN(2)], Title: new(fmt.Sprint("t", r.IntN(3)))})
	case 6:
		verb := one(r, moderation.Approve, moderation.Reject, moderation.Reject, moderation.Withdraw)
		r.say("decide %v on %s", verb, id)
		_, err = s.Decide(ctx, store.Ruling{ID: id, Verb: verb, By: "mia", Reason: "so"})
	case 7:
		r.say("vote on, or report, %s", id)
		if _, err = s.Vote(ctx, id, key.VoterOf(one(r, "bob", "carol")), one(r, votes.Helpful, votes.Unhelpful, votes.None), nil); r.IntN(3) == 0 {
			_, err = s.Report(ctx, id, "bob", "rude")
		}
	case 8:
		r.say("delete %s", id)
		_, err = s.Delete(ctx, id, nil)
	case 9:
		if r.IntN(3) == 0 {
			r.define(products[r.IntN(2)])
		}
		if r.IntN(3) == 0 {
			to := settings.Scoring{Mean: 2000 + r.IntN(3)*1000, Least: 1 + r.IntN(3)}
			r.say("set the scoring %+v", to)
			err = r.s.SetScoring(ctx, to, store.ScoringOptions{})
		}
	case 10:
		switch r.IntN(4) {
		case 0:
			r.flip()
		case 1:
			r.settled()
		case 2:
			r.say("a shard splits")
			r.db.Split()
		default:
			r.say("a shard ends")
			r.db.Roll()
		}
	case 11:
		var has []item.Photo
		if c, err := s.Get(ctx, id); err == nil && c != nil {
			has = c.Photos
		}
		photos := append(r.uploaded(r.IntN(3)), has[:r.IntN(min(len(has), 4)+1)]...)
		r.say("give %s %d photos instead of %d", id, len(photos), len(has))
		if _, err = s.Update(ctx, store.Change{ID: id, Photos: &photos}); len(photos) > 0 && r.IntN(3) == 0 {
			_, err = s.RemovePhoto(ctx, store.PhotoRemoval{ID: id, PhotoID: photos[0].ID, By: "mia"})
		}
	default:
		for range 1 + r.IntN(4) {
			r.project(r.IntN(2), false)
		}
	}
	if code := errs.CodeOf(err); err != nil && code != errs.NotFound && code != errs.Conflict {
		r.Fatal(err)
	}
}

// uploaded returns photos that no comment has.
func (r *run) uploaded(n int) (all []item.Photo) {
	for range n {
		r.photo++
		all = append(all, storetest.Photo(r, r.s, r.photo))
	}
	return all
}

// define gives a product other definitions: twenty, so that a change of a comment of
// products with power sets is more than a transaction holds.
func (r *run) define(product string) {
	var all []attributes.Definition
	for i := range one(r, 10, 70) {
		all = append(all, attributes.Definition{Key: fmt.Sprint("a", i), Type: attributes.Text})
	}
	if r.IntN(3) > 0 {
		all = append(all, attributes.Definition{Key: fit, Type: attributes.Number, Shown: r.IntN(2) == 0})
	}
	if r.IntN(3) > 0 {
		options := []attributes.Option{{Value: "S"}, {Value: "M"}}
		all = append(all, attributes.Definition{Key: size, Type: attributes.Choice, Options: options[:1+r.IntN(2)]})
	}
	r.say("define %d attributes of %s", len(all), product)
	testkit.Value(r.s.Attributes().Define(r.Context(), definitions.Change{Scope: definitions.Scope{Product: product}, Definitions: all, Force: true}))(r.T)
}

// settled lets new processes project everything, while others live.
func (r *run) settled() {
	r.say("  all is projected")
	living := r.living
	r.settle()
	r.living = living
}

// flip switches the power set of a product on, or off.
func (r *run) flip() {
	product, sets := products[r.IntN(2)], r.s.PowerSets()
	r.say("  switch the power set of %s", product)
	testkit.Value(r.s.Settings().ChangeWith(r.Context(), func(now *settings.Settings) (writes []table.Write, changed bool, err error) {
		switch now.PowerSets[product] {
		case settings.IndexAbsent:
			return sets.Begin(now, product), true, nil
		case settings.IndexBuilding, settings.IndexReadable:
			now.PowerSets[product] = settings.IndexDisabled
			return []table.Write{sets.Backfill().Begin(product, true)}, true, nil
		}
		return nil, false, nil // its copies are being removed
	}))(r.T)
}
