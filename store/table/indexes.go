package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DynamoDB cannot change an index. So that a table can serve while an index is replaced, an
// index with a number after its name may serve as an index of the design: all-2, or all-3, as
// all. Processes choose the index that matches the design when they start.

type (
	designed = types.GlobalSecondaryIndex
	standing = types.GlobalSecondaryIndexDescription
)

// serving returns the active index of a table that serves as one of the design, nil if there is
// none.
func (d Design) serving(table *types.TableDescription, w designed) *standing {
	for _, got := range candidates(table, *w.IndexName) {
		if len(lacks(got, w)) == 0 {
			return &got
		}
	}
	return nil
}

// candidates returns the indexes of a table with names for one index of the design: first the
// design's own name, then by number.
func candidates(table *types.TableDescription, name string) []standing {
	var out []standing
	for _, got := range table.GlobalSecondaryIndexes {
		if candidateNumber(got, name) > 0 {
			out = append(out, got)
		}
	}
	slices.SortFunc(out, func(a, b standing) int { return candidateNumber(a, name) - candidateNumber(b, name) })
	return out
}

// candidateNumber returns the number of an index among the candidates: 1 for the design's own name, 2
// for the name with -2 after it; 0 for other names.
func candidateNumber(got standing, name string) int {
	rest, ok := strings.CutPrefix(aws.ToString(got.IndexName), name)
	switch {
	case !ok:
		return 0
	case rest == "":
		return 1
	}
	digits, ok := strings.CutPrefix(rest, "-")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 2 || strconv.Itoa(n) != digits {
		return 0
	}
	return n
}

// lacks lists the reasons why an index cannot serve as one of the design.
func lacks(got standing, w designed) (out []string) {
	name := aws.ToString(got.IndexName)
	if !sameKeys(got.KeySchema, w.KeySchema) {
		out = append(out, fmt.Sprintf("index %s has the key %s, not %s", name, spell(got.KeySchema),
			spell(w.KeySchema)))
	}
	for _, attribute := range w.Projection.NonKeyAttributes {
		if got.Projection != nil && got.Projection.ProjectionType != types.ProjectionTypeAll &&
			!slices.Contains(got.Projection.NonKeyAttributes, attribute) {
			out = append(out, fmt.Sprintf("index %s does not project %s", name, attribute))
		}
	}
	switch got.IndexStatus {
	case types.IndexStatusCreating:
		out = append(out, fmt.Sprintf("index %s is being created", name))
	case types.IndexStatusDeleting:
		out = append(out, fmt.Sprintf("index %s is being deleted", name))
	}
	return out
}

// unfit lists the reasons why no index of a table serves as one of the design.
func unfit(table *types.TableDescription, w designed) (out []string) {
	for _, got := range candidates(table, *w.IndexName) {
		out = append(out, lacks(got, w)...)
	}
	if out == nil {
		out = []string{fmt.Sprintf("index %s is missing", *w.IndexName)}
	}
	return out
}

// indexName returns the name of the index that serves as one of the design.
func (t *Table) indexName(name string) *string {
	if serving := t.serving.Load(); serving != nil && (*serving)[name] != "" {
		name = (*serving)[name]
	}
	return &name
}
