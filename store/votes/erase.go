package votes

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/own"
	"product-comments/store/table"
)

// Erase removes somebody's vote on a comment, of whatever state, with everything that
// says that there was one; the comment's counts follow. It returns an Unavailable error
// if the store does not answer; to call it again is safe.
func (v *Votes) Erase(ctx context.Context, commentID string, voter key.Voter, name func(product string) own.Name) error {
	for pause := v.t.NewRace(); ; {
		at := primary(commentID, voter)
		it, err := v.t.Get(ctx, "the vote", at)
		if err != nil || it == nil {
			return err
		}
		cast, err := parse(it)
		if err != nil {
			return err
		}
		stored, err := v.t.Get(ctx, "the comment", table.Key(key.Comment(commentID)))
		if err != nil {
			return err
		}
		writes := []table.Write{table.Write{Key: at, Delete: true}.IfRevision(attrRevision, cast.revision)}
		if stored != nil && !item.IsDeleted(stored) {
			c, err := item.Read(stored, "")
			if err != nil {
				return err
			}
			if before := cast.On(c.Ballot); before != None {
				us, isShown := own.Name(""), c.State == item.Published
				if isShown && c.Defined != "" {
					us = name(c.ProductID)
				}
				count := v.write(c, voter, cast, us, before, None)[0]
				if !isShown {
					count.If = item.NotDeleted + " AND #ballot = :ballot"
				}
				writes = append(writes, count)
			}
		}
		err = v.t.Transact(ctx, "erase the vote", writes...)
		if _, changed := table.IsRefused(err); !changed {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("erase the vote", err)
		}
	}
}

// Of returns the vote that an item of one says.
func Of(it table.Item) (Vote, error) {
	cast, err := parse(it)
	return cast.Vote, err
}
