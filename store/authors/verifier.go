package authors

import (
	"context"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Marks are written with the comments that they are of, so nothing is kept from the stream.
var _ index.Index = (*Authors)(nil)

// Verifiers compares the marks of people, comment by comment, with the comments that they
// are of.
func (a *Authors) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Entries{
		About: "user", Kind: "author entries",
		Subject: ownerOf, Of: marksOf, Sources: index.ByID(a.t),
		Found: func(ctx context.Context, owner string, _ []string, each index.EachItem) error {
			return index.EachIn(ctx, a.t, []key.Partition{{Index: key.Table, Value: key.User(owner)}}, each)
		},
		Name: func(id string) string { return "the author's entries of comment " + id },
	}.Verify(now, share)}
}

// ownerOf returns the owner of a comment, or of a mark.
func ownerOf(it table.Item, comment *item.Stored) string {
	if comment != nil {
		return comment.Owner
	}
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	if _, ok := item.MarkedBy(it); !ok && !key.IsAuthored(pk, sk) {
		return ""
	}
	owner, _ := key.Username(pk)
	return owner
}

// marksOf returns the marks that a comment demands, or the one that an item is.
func marksOf(_ context.Context, _ settings.Settings, it table.Item, comment *item.Stored) ([]index.Entry, error) {
	if comment != nil {
		return []index.Entry{
			{Unit: comment.ID, Digest: index.Digest(item.Mark(comment)), N: 1},
			{Unit: comment.ID, Digest: index.Digest(item.Authored(comment)), N: 1},
		}, nil
	}
	at, ok := item.MarkedBy(it)
	if !ok {
		_, at, _ = key.ParseAuthored(table.Text(it, key.SK))
	}
	return []index.Entry{{Unit: at.CommentID, Digest: index.Digest(it), N: -1}}, nil
}
