package main

import (
	"context"
	"fmt"

	"product-comments/store"
	"product-comments/store/key"
)

// windows reads a list window by window: it returns how many it found, the place of the
// last one, and whether others follow.
type windows func(ctx context.Context, w store.Window) (n int, last key.Position, more bool, err error)

// walked is what a walk through a list to its end found.
type walked struct {
	items int
	// Read units of a page: means of the first half of its full pages and of the second,
	// of stretch pages at the most. A list without a full page has that one alone.
	first, deep float64
}

// walk reads a list to its end.
func walk(ctx context.Context, pay *bill, read windows) (w walked, err error) {
	if _, _, _, err := read(ctx, store.Window{Limit: pageSize}); err != nil { // what a server learns once
		return w, err
	}
	var units []float64
	for at := (store.Window{Limit: pageSize}); ; {
		pay.take()
		n, last, more, err := read(ctx, at)
		if err != nil {
			return w, err
		}
		w.items += n
		if n == pageSize || len(units) == 0 {
			units = append(units, pay.take().read)
		}
		if !more {
			break
		}
		if n == 0 {
			return w, fmt.Errorf("an empty page says that others follow")
		}
		at.After = &last
	}
	some := min(stretch, (len(units)+1)/2)
	w.first, w.deep = mean(units[:some]), mean(units[len(units)-some:])
	return w, nil
}

func mean(of []float64) (sum float64) {
	for _, v := range of {
		sum += v / float64(len(of))
	}
	return sum
}
