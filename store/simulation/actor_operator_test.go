package simulation

import (
	"context"
	"errors"
	"time"

	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
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
