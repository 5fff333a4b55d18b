package store

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// maxPowerSets bounds Meta's item, which every server reads every few seconds.
const maxPowerSets = 500

// PowerSetOn makes a product one whose comments are kept once for every set of
// ratings that contains their own, so that any filter is one query: 32 copies
// of each comment (part 1 of the series). The projector keeps them from now
// on; the comments that are there are copied first, while writes go on. One
// that was stopped goes on where it left off. progress, which may be nil, is
// told how many comments were copied. It returns Conflict while the copies are
// being removed, and Unavailable if the store does not answer or statistics
// are not kept.
func (s *Store) PowerSetOn(ctx context.Context, product string, progress func(comments int)) error {
	if err := ValidateProductID("product", product); err != nil {
		return err
	}
	meta, err := s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		if err := m.trusted(); err != nil {
			return false, err
		}
		switch m.PowerSets[product] {
		case PowerSetReady, PowerSetFilling:
			return false, nil
		case PowerSetRemoving:
			return false, errs.Errorf(errs.Conflict, "The copies of product %q are being removed; let that end first: product-comments product set %s --projection indexes", product, product)
		}
		if len(m.PowerSets) >= maxPowerSets {
			return false, errs.Errorf(errs.Conflict, "There are %d products with a power set already", maxPowerSets)
		}
		if m.PowerSets == nil {
			m.PowerSets = map[string]PowerSet{}
		}
		m.PowerSets[product] = PowerSetFilling
		return true, nil
	})
	if err != nil || meta.PowerSets[product] == PowerSetReady {
		return err
	}
	if err := s.fence(ctx, product); err != nil {
		return err
	}
	if err := s.fillPowerSet(ctx, product, progress); err != nil {
		return err
	}
	if err := s.completePowerSet(ctx, product); err != nil {
		return err
	}
	if _, err := s.turnPowerSet(ctx, product, PowerSetFilling, PowerSetReady); err != nil {
		return err
	}
	return s.Mark(ctx, fillMark(product), "")
}

// PowerSetOff stops reading the copies of a product's comments, then keeping
// them, and deletes them, while writes go on. One that was stopped goes on
// where it left off. progress, which may be nil, is told how many comments'
// copies were deleted. It returns Unavailable if the store does not answer.
func (s *Store) PowerSetOff(ctx context.Context, product string, progress func(comments int)) error {
	if err := ValidateProductID("product", product); err != nil {
		return err
	}
	meta, err := s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		switch m.PowerSets[product] {
		case PowerSetFilling, PowerSetReady:
			m.PowerSets[product] = PowerSetLeaving
			return true, nil
		}
		return false, nil
	})
	if err != nil || meta.PowerSets[product] == PowerSetOff {
		return err
	}
	if meta.PowerSets[product] == PowerSetLeaving {
		// Until every server has stopped reading them, the copies must be right.
		if err := sleep(ctx, s.settleTime()); err != nil {
			return err
		}
		if _, err := s.turnPowerSet(ctx, product, PowerSetLeaving, PowerSetRemoving); err != nil {
			return err
		}
	}
	if err := s.fence(ctx, product); err != nil {
		return err
	}
	if err := s.emptyPowerSet(ctx, product, progress); err != nil {
		return err
	}
	if err := s.Mark(ctx, fillMark(product), ""); err != nil {
		return err
	}
	_, err = s.turnPowerSet(ctx, product, PowerSetRemoving, PowerSetOff)
	return err
}

// turnPowerSet takes a product from one state to the next.
func (s *Store) turnPowerSet(ctx context.Context, product string, from, to PowerSet) (Meta, error) {
	return s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		switch m.PowerSets[product] {
		case to:
			return false, nil
		case from:
		default:
			return false, errs.Errorf(errs.Conflict, "Somebody else changed the projection of product %q meanwhile", product)
		}
		if to == PowerSetOff {
			delete(m.PowerSets, product)
		} else {
			m.PowerSets[product] = to
		}
		return true, nil
	})
}

// fence makes every transaction of a projector fail that read the product's
// statistics before now, and so may not know what Meta says by now.
func (s *Store) fence(ctx context.Context, product string) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err := s.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: statisticsKey(stats.Scope{ProductID: product}),
		UpdateExpression:          aws.String("SET " + attrRevision + " = if_not_exists(" + attrRevision + ", :first) + :one"),
		ExpressionAttributeValues: item{":first": num(rand.N(1 << 50)), ":one": num(1)},
	})
	return failed("announce the change of the projection", err)
}

// fillMark names the note of how far the copying of a product is.
func fillMark(product string) string { return "power-set " + product }

// copiesAtOnce is how many comments one transaction copies: each is 32 copies
// and the condition that the comment is still as it was read, and all have the
// condition that the copies are still wanted.
const copiesAtOnce = (maxTransact - 1) / 33

// fillPowerSet copies the comments that are there, newest first. The projector
// copies what is written meanwhile; whichever of the two comes second writes
// what is there by then.
func (s *Store) fillPowerSet(ctx context.Context, product string, progress func(int)) error {
	noted, err := s.Marked(ctx, fillMark(product))
	if err != nil {
		return err
	}
	w := Window{Limit: walkPage - walkPage%copiesAtOnce}
	if at, ok := key.ParseSortKey(noted); ok {
		w.After = &at
	}
	for n := 0; ; {
		page, err := s.Page(ctx, plan.Filter{ProductID: product}, w)
		if err != nil {
			return err
		}
		for i := 0; i < len(page.Items); i += copiesAtOnce {
			if err := s.copyComments(ctx, product, page.Items[i:min(i+copiesAtOnce, len(page.Items))]); err != nil {
				return err
			}
		}
		n += len(page.Items)
		if len(page.Items) > 0 {
			last := page.Items[len(page.Items)-1].Position()
			w.After = &last
			if err := s.Mark(ctx, fillMark(product), last.SortKey()); err != nil {
				return err
			}
		}
		if progress != nil {
			progress(n)
		}
		if !page.HasNext {
			return nil
		}
	}
}

// copyComments writes the copies of a few comments as they are at that moment.
func (s *Store) copyComments(ctx context.Context, product string, comments []Comment) error {
	ids := make([]string, len(comments))
	for i := range comments {
		ids[i] = comments[i].ID
	}
	for pause := newPause(); ; {
		items, err := s.getItems(ctx, ids)
		if err != nil {
			return err
		}
		var writes []types.TransactWriteItem
		for pk, it := range items {
			c, err := commentOf(it, "")
			if err != nil {
				return damagedItem(it, err)
			}
			if c.ProductID != product {
				continue // an import gave it to another product; the projector knows
			}
			im := &image{stats.Counted{ProductID: product, Language: c.Language, Rating: c.Rating}, it}
			writes = append(writes, copied{after: im}.writes(Meta{PowerSets: map[string]PowerSet{product: PowerSetFilling}}, s.table)...)
			condition, names, values := unchangedItem(it, attrVersion, key.GSIPK, key.GSISK)
			writes = append(writes, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
				TableName: &s.table, Key: primaryKey(pk),
				ConditionExpression: condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			}})
		}
		if len(writes) == 0 {
			return nil
		}
		writes = append(writes, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &s.table, Key: metaKey(),
			ConditionExpression:       aws.String(attrPowerSets + ".#product = :filling"),
			ExpressionAttributeNames:  map[string]string{"#product": product},
			ExpressionAttributeValues: item{":filling": str(string(PowerSetFilling))},
		}})
		if err := s.transact(ctx, writes); !errors.Is(err, errRace) {
			return failed("copy the comments", err)
		}
		if meta, err := s.Meta(ctx); err != nil || meta.PowerSets[product] != PowerSetFilling {
			return cmp.Or(err, error(errs.Errorf(errs.Conflict, "Somebody else changed the projection of product %q meanwhile", product)))
		}
		if err := pause.wait(ctx); err != nil {
			return failed("copy the comments", err)
		}
	}
}

// completePatience is how long a product may differ from its copies before
// switching on gives up: writes go on, and the projector may be behind.
const completePatience = time.Minute

// completePowerSet waits until there are as many copies as comments counted:
// an index may have lacked a comment for a moment when it was walked. Copies
// and counts move in the same transactions.
func (s *Store) completePowerSet(ctx context.Context, product string) error {
	all := key.PowerSet(product, "", key.AllRatings)
	deadline := s.now().Add(completePatience)
	for pause := newPause(); ; {
		copies := 0
		if err := s.eachItem(ctx, all, func(item) error { copies++; return nil }); err != nil {
			return err
		}
		scope := stats.Scope{ProductID: product}
		items, err := s.statisticsItems(ctx, []stats.Scope{scope}, true)
		if err != nil {
			return err
		}
		counted := items[scope].Total()
		if copies == counted {
			return nil
		}
		if s.now().After(deadline) {
			return errs.Errorf(errs.Unavailable, "There are %d copies for %d comments that are counted. Is a projector running? Run this again then", copies, counted)
		}
		if copies < counted { // from the start, in case the index lacked some
			if err := s.Mark(ctx, fillMark(product), ""); err != nil {
				return err
			}
			if err := s.fillPowerSet(ctx, product, nil); err != nil {
				return err
			}
		}
		if err := pause.wait(ctx); err != nil {
			return err
		}
	}
}

// emptyPowerSet deletes the copies. Those of one comment are there together,
// and the one among all comments goes last, so that it says what is left.
func (s *Store) emptyPowerSet(ctx context.Context, product string, progress func(int)) error {
	all := key.PowerSet(product, "", key.AllRatings)
	n := 0
	return s.eachItem(ctx, all, func(it item) error {
		c, err := commentOf(it, product)
		if err != nil {
			return damagedItem(it, err)
		}
		var batch []types.WriteRequest
		flush := func() error {
			if len(batch) == 0 {
				return nil
			}
			err := s.writeBatch(ctx, batch)
			batch = nil
			return err
		}
		for _, p := range copyKeys(product, c.Language, c.Rating) {
			if p == all {
				continue
			}
			batch = append(batch, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: item{key.PK: str(p.Value), key.SK: it[key.SK]}}})
			if len(batch) == maxBatchWrite {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
		batch = []types.WriteRequest{{DeleteRequest: &types.DeleteRequest{Key: item{key.PK: str(all.Value), key.SK: it[key.SK]}}}}
		if err := flush(); err != nil {
			return err
		}
		if n++; progress != nil {
			progress(n)
		}
		return nil
	})
}
