package simulation

import (
	"context"
	"errors"
	"time"

	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/stream"
	"product-comments/store/verify"
)

// rebuild is the operator's command.
func rebuild(a *act) {
	c, ctx := a.begin("rebuild", "")
	c.explain = a.model.settles // as projectors do, when orders may have gone unseen
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	err := a.server.rebuild(ctx)
	a.end(c, err, "")
	switch {
	case err == nil:
		a.marks.add("an operator rebuilt")
	case errors.Is(err, stream.ErrOtherRebuild):
		a.marks.add("two rebuilt at once")
	default:
		a.tolerable(c, err)
	}
}

// verification only must not break anything while all others are at work; what it
// finds is looked at when all is quiet.
func verification(a *act) {
	c, ctx := a.begin("verify", "")
	c.explain = same
	found, err := a.server.verify(ctx, verify.Options{Patience: a.duration(10*time.Millisecond, 5*time.Second)})
	a.end(c, err, "%d differences", len(found.Differences))
	if err != nil {
		a.tolerable(c, err)
	}
}

// texts trains a dictionary and packs what is there, while others write.
func texts(a *act) {
	c, ctx := a.begin("texts", "")
	c.explain = same
	if a.chance(0.6) {
		trained, err := a.server.store.Packing().Train(ctx, settings.Whatever, samples())
		if err != nil {
			a.end(c, err, "")
			a.tolerable(c, err)
			return
		}
		a.journal.add(a.server.name, "trained", "dictionary %d", trained.Version)
		if a.chance(0.3) {
			a.sleep(a.duration(time.Millisecond, 3*time.Second))
		}
	}
	n, err := a.server.store.Packing().All(ctx, 0, nil)
	if err == nil {
		_, err = a.server.store.Packing().Sample(ctx, 5, 0)
	}
	a.end(c, err, "packed %d", n)
	if n > 0 {
		a.marks.add("texts were packed")
	}
	if err != nil {
		a.tolerable(c, err, errs.NotFound)
	}
}

// powerSet switches the copies of a product on or off.
func powerSet(a *act) { switchPowerSet(a, a.product(), a.chance(0.65)) }

func switchPowerSet(a *act, product string, on bool) {
	c, ctx := a.begin("power set", "of %s: %t", product, on)
	c.explain = same
	var err error
	if on {
		err = a.server.store.PowerSets().On(ctx, product, nil)
	} else {
		err = a.server.store.PowerSets().Off(ctx, product, nil)
	}
	a.end(c, err, "")
	switch {
	case err == nil && on:
		a.marks.add("a power set was switched on")
	case err == nil:
		a.marks.add("a power set was switched off")
	case errs.CodeOf(err) == errs.Conflict || errs.CodeOf(err) == errs.Unavailable: // no statistics, no projector, or somebody else is at it
	default:
		a.tolerable(c, err)
	}
}
