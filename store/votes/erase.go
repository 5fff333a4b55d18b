package votes

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Erase removes somebody's vote on a comment, of whatever state, with everything that
// says that there was one; the comment's counts follow. It returns an Unavailable error
// if the store does not answer; to call it again is safe.
func (v *Votes) Erase(ctx context.Context, commentID string, voter key.Voter, name func(product string) item.Writes) error {
	return v.t.Race(ctx, "erase the vote", func() error {
		comment, cast, err := v.read(ctx, commentID, voter)
		if err != nil || cast.revision == 0 {
			return err
		}
		writes := []table.Write{table.Write{Key: primary(commentID, voter), Delete: true}.IfRevision(attrRevision, cast.revision)}
		if comment != nil {
			c, err := item.Read(comment, "")
			if err != nil {
				return err
			}
			if before := cast.On(c.Ballot); before != None {
				us := item.Writes("")
				if c.State == item.Published && c.Defined != "" {
					us = name(c.ProductID)
				}
				writes = append(writes, count(comment, c.Ballot, us, before, None))
			}
		}
		return v.t.Transact(ctx, "erase the vote", writes...)
	})
}

// Of returns the vote that an item of one says.
func Of(it table.Item) (Vote, error) {
	cast, err := parse(it)
	return cast.Vote, err
}
