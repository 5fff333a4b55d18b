package main

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
)

// question is what a client asks for.
type question struct {
	productID string
	language  string // "" is any
	ratings   key.Ratings
	after     cursor
	first     int
}

// partitions lists what has to be read: one partition, or one for each of
// several ratings.
func (q question) partitions() []key.Partition {
	ratings := q.ratings.List()
	switch {
	case len(ratings) == 0 && q.language == "":
		return []key.Partition{key.PartitionAll(q.productID)}
	case len(ratings) == 0:
		return []key.Partition{key.PartitionByLang(q.productID, q.language)}
	}
	out := make([]key.Partition, len(ratings))
	for i, r := range ratings {
		out[i] = key.PartitionByRating(q.productID, r)
		if q.language != "" {
			out[i] = key.PartitionByLangAndRating(q.productID, q.language, r)
		}
	}
	return out
}

// page is the answer, and what it cost.
type page struct {
	Comments []comment `json:"comments"`
	PageInfo pageInfo  `json:"pageInfo"`

	units   float64
	queries int
}

type pageInfo struct {
	HasNextPage bool    `json:"hasNextPage"`
	EndCursor   *string `json:"endCursor"`
}

// read answers a question.
func (t *table) read(ctx context.Context, q question) (page, error) {
	partitions := q.partitions()
	answers := make([]answer, len(partitions))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, p := range partitions {
		group.Go(func() (err error) {
			answers[i], err = t.query(groupCtx, p, q.after[p.Value], q.first)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return page{}, err
	}
	out := page{queries: len(partitions)}
	more := false
	for _, a := range answers {
		out.Comments = append(out.Comments, a.comments...)
		out.units += a.units
		more = more || a.more
	}
	slices.SortFunc(out.Comments, func(a, b comment) int { return strings.Compare(b.GSISK, a.GSISK) })
	if len(out.Comments) > q.first {
		out.Comments, more = out.Comments[:q.first], true
	}
	out.PageInfo.HasNextPage = more
	if len(out.Comments) == 0 {
		return out, nil
	}
	token, err := combine(q.after, partitions, answers, out.Comments[len(out.Comments)-1].GSISK).encode()
	out.PageInfo.EndCursor = &token
	return out, err
}

// combine makes the cursor of a page that ends with the item that has this
// sort key.
func combine(before cursor, partitions []key.Partition, answers []answer, end string) cursor {
	out := cursor{}
	for i, p := range partitions {
		var lastVisible *comment
		for j := range answers[i].comments {
			if c := &answers[i].comments[j]; c.GSISK >= end {
				lastVisible = c
			}
		}
		switch {
		case lastVisible != nil:
			out[p.Value] = lastVisible.startKey(p)
		case len(answers[i].comments) > 0:
			out[p.Value] = answers[i].comments[0].startKey(p).inclusive()
		case before[p.Value] != nil: // read to its end on an earlier page
			out[p.Value] = before[p.Value]
		}
	}
	return out
}
