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
func rebuild(a *act) { a.rebuilds(nothing{}) }

func (a *act) rebuilds(nothing) {
	c, ctx := a.begin("rebuild", nothing{})
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
	a.verification(verify.Options{Patience: a.duration(10*time.Millisecond, 5*time.Second)})
}

func (a *act) verification(o verify.Options) {
	c, ctx := a.begin("verify", o)
	c.explain = same
	found, err := a.server.verify(ctx, o)
	a.end(c, err, "%d differences", len(found.Differences))
	if err != nil {
		a.tolerable(c, err)
	}
}

// texts trains a dictionary and packs what is there, while others write.
func texts(a *act) {
	p := packs{Train: a.chance(0.6)}
	if p.Train && a.chance(0.3) {
		p.Pause = a.duration(time.Millisecond, 3*time.Second)
	}
	a.packs(p)
}

// packs says whether a dictionary is trained before texts are packed, and for how long
// the operator waits then.
type packs struct {
	Train bool
	Pause time.Duration
}

func (a *act) packs(p packs) {
	c, ctx := a.begin("texts", p)
	c.explain = same
	if p.Train {
		trained, err := a.server.store.Packing().Train(ctx, settings.Whatever, samples())
		if err != nil {
			a.end(c, err, "")
			a.tolerable(c, err)
			return
		}
		a.journal.add(a.server.name, "trained", "dictionary %d", trained.Version)
		a.sleep(p.Pause)
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
func powerSet(a *act) { a.switches(switching{a.product(), a.chance(0.65)}) }

// switching is a product's power set becoming on or off.
type switching struct {
	Product string
	On      bool
}

func (a *act) switches(s switching) {
	c, ctx := a.begin("power set", s)
	product, on := s.Product, s.On
	c.explain = same
	var err error
	if on {
		err = a.server.store.PowerSets().Enable(ctx, product, nil)
	} else {
		err = a.server.store.PowerSets().Disable(ctx, product, nil)
	}
	a.end(c, err, "")
	switch {
	case err == nil && on:
		a.marks.add("a power set was switched on")
	case err == nil:
		a.marks.add("a power set was switched off")
	case errs.CodeOf(err) == errs.Conflict || errs.CodeOf(err) == errs.Unavailable: // no statistics, no projector, or another person is at it
	default:
		a.tolerable(c, err)
	}
}
