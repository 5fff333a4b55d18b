package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// Update changes a comment, index keys included, in one conditional write. Two
// updates at once both take effect: the one that comes second is applied to
// the first one's result. It returns BadUserInput for invalid input, NotFound
// if the comment does not exist (it is never brought back), Conflict if
// ExpectedVersion is not the comment's, and Unavailable if the store does not
// answer. A change that changes nothing writes nothing.
func (s *Store) Update(ctx context.Context, change Change) (Comment, error) {
	if err := ValidateCommentID("id", change.ID); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	old, err := s.getItem(ctx, key.Comment(change.ID))
	if err != nil {
		return Comment{}, err
	}
	for pause := newPause(); ; {
		if old == nil {
			return Comment{}, notFound(change.ID)
		}
		before, err := s.comment(ctx, old, "")
		if err != nil {
			return Comment{}, err
		}
		after, err := s.apply(change, before)
		if err != nil {
			return Comment{}, err
		}
		if after.Version == before.Version {
			return before, nil
		}
		if _, err := s.announce(ctx, &after); err != nil {
			return Comment{}, err
		}
		codec, err := s.packer(ctx)
		if err != nil {
			return Comment{}, err
		}
		defer s.wrote(after.ProductID) // few are tried again
		_, err = s.api.UpdateItem(ctx, s.updateInput(old, storedForm(&before, old), itemOf(&after, codec)))
		if err == nil {
			return after, nil
		}
		now, lost := conditionFailed(err)
		if !lost {
			return Comment{}, failed("change the comment", err)
		}
		if now == nil {
			if now, err = s.getItem(ctx, key.Comment(change.ID)); err != nil {
				return Comment{}, err
			}
		}
		// The SDK repeats a write whose answer was lost; the repetition
		// finds what the first one wrote.
		if got, err := s.comment(ctx, now, ""); err == nil && sameItem(itemOf(&got, nil), itemOf(&after, nil)) {
			return after, nil
		}
		old = now
		if err := pause.wait(ctx); err != nil {
			return Comment{}, failed("change the comment", err)
		}
	}
}

func notFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no comment %s", printable(id))
}

// apply returns the comment after the change, with the next version, or as it
// is if the change changes nothing.
func (s *Store) apply(change Change, before Comment) (Comment, error) {
	if want := change.ExpectedVersion; want != nil && *want != before.Version {
		e := errs.Errorf(errs.Conflict, "The comment is at version %d, not %d: read it again and decide", before.Version, *want)
		e.Field = "expectedVersion"
		return Comment{}, e
	}
	after := before
	if change.Rating != nil {
		after.Rating = *change.Rating
	}
	if change.Language != nil {
		after.Language = *change.Language
	}
	if change.Title != nil {
		after.Title = *change.Title
	}
	if change.Text != nil {
		after.Text = *change.Text
	}
	if err := after.Validate(); err != nil {
		return Comment{}, err
	}
	if sameItem(itemOf(&after, nil), itemOf(&before, nil)) {
		return before, nil
	}
	after.UpdatedAt = s.now().UTC().Truncate(time.Microsecond)
	if !after.UpdatedAt.After(before.UpdatedAt) { // clocks of two machines differ
		after.UpdatedAt = before.UpdatedAt.Add(time.Microsecond)
	}
	after.Version++
	return after, nil
}

// unchanged is the condition that an attribute, the i-th of a request, is as it
// was read.
func unchanged(stored item, name string, i int, names map[string]string, values item) string {
	n, v := fmt.Sprintf("#c%d", i), fmt.Sprintf(":c%d", i)
	names[n] = name
	if stored[name] == nil {
		return "attribute_not_exists(" + n + ")"
	}
	values[v] = stored[name]
	return n + " = " + v
}

// unchangedItem is the condition that attributes are as they were read.
func unchangedItem(stored item, attributes ...string) (condition *string, names map[string]string, values item) {
	names, values = map[string]string{}, item{}
	conditions := make([]string, len(attributes))
	for i, name := range attributes {
		conditions[i] = unchanged(stored, name, i, names, values)
	}
	return aws.String(strings.Join(conditions, " AND ")), names, values
}

// updateInput spells the difference between two forms of an item as one
// conditional write; attributes that neither form knows stay as they are. The
// condition holds the version, and the keys, so that index keys always match
// the item even if something wrote without counting the version.
func (s *Store) updateInput(stored, before, after item) *dynamodb.UpdateItemInput {
	var set, remove []string
	names := map[string]string{}
	values := item{}
	for i, name := range slices.Sorted(maps.Keys(after)) {
		if old, ok := before[name]; ok && sameItem(item{name: old}, item{name: after[name]}) {
			continue
		}
		n, v := fmt.Sprintf("#s%d", i), fmt.Sprintf(":s%d", i)
		names[n], values[v] = name, after[name]
		set = append(set, n+" = "+v)
	}
	for i, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			n := fmt.Sprintf("#r%d", i)
			names[n] = name
			remove = append(remove, n)
		}
	}
	var conditions []string
	for i, name := range []string{attrVersion, key.GSIPK, key.GSISK} {
		conditions = append(conditions, unchanged(stored, name, i, names, values))
	}
	expression := "SET " + strings.Join(set, ", ")
	if len(remove) > 0 {
		expression += " REMOVE " + strings.Join(remove, ", ")
	}
	return &dynamodb.UpdateItemInput{
		TableName:                           &s.table,
		Key:                                 item{key.PK: stored[key.PK], key.SK: stored[key.SK]},
		UpdateExpression:                    &expression,
		ConditionExpression:                 aws.String(strings.Join(conditions, " AND ")),
		ExpressionAttributeNames:            names,
		ExpressionAttributeValues:           values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
