package main

import (
	"context"
	"fmt"
)

// walk goes through a list with both servers in step, up to a page. It returns
// the cursors that the page is after, and how many characters our longest one
// on the way has. It fails if the servers do not show the same.
func walk(ctx context.Context, sides [2]side, l list, page int) (cursors [2]string, longest int, err error) {
	for n := 1; n < page; n++ {
		if _, cursors, err = step(ctx, sides, l, pageSize, cursors); err != nil {
			return cursors, 0, fmt.Errorf("%s, page %d: %w", l.name, n, err)
		}
		longest = max(longest, len(cursors[0]))
	}
	return cursors, longest, nil
}

// step reads the next comments with both servers, and returns the cursors after
// them.
func step(ctx context.Context, sides [2]side, l list, first int, cursors [2]string) (pages [2]page, next [2]string, err error) {
	if err := ctx.Err(); err != nil {
		return pages, next, err
	}
	for i, side := range sides {
		if pages[i], err = ask(side, l, first, cursors[i]); err != nil {
			return pages, next, err
		}
		if len(pages[i].Comments) != first {
			return pages, next, fmt.Errorf("%d comments; more --comments are needed", len(pages[i].Comments))
		}
		next[i] = pages[i].PageInfo.EndCursor
	}
	if !same(pages[0].Comments, pages[1].Comments) {
		return pages, next, fmt.Errorf("the servers do not show the same:\n%s\n%s", pages[0].body, pages[1].body)
	}
	return pages, next, nil
}
