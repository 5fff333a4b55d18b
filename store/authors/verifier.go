package authors

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Marks are written with the comments that they are of, so nothing is kept from the stream.
var _ projector.Derived = (*Authors)(nil)

// Verifiers compares the marks of people, comment by comment, with the comments that they
// are of.
func (a *Authors) Verifiers(now settings.Settings, share *projector.Share) []projector.Verifier {
	return []projector.Verifier{projector.Entries{
		About: "user", Kind: "marks of authors",
		Subject: ownerOf, Of: marksOf, Sources: projector.ByID(a.t),
		Found: func(ctx context.Context, owner string, _ []string, each projector.EachItem) error {
			return projector.EachIn(ctx, a.t, []key.Partition{{Index: key.Table, Value: key.User(owner)}}, each)
		},
		Name: func(id string) string { return "marks of comment " + id },
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
func marksOf(_ context.Context, _ settings.Settings, it table.Item, comment *item.Stored) ([]projector.Entry, error) {
	if comment != nil {
		return []projector.Entry{
			{Unit: comment.ID, Digest: projector.Digest(item.Mark(comment)), N: 1},
			{Unit: comment.ID, Digest: projector.Digest(item.Authored(comment)), N: 1},
		}, nil
	}
	at, ok := item.MarkedBy(it)
	if !ok {
		_, at, _ = key.ParseAuthored(table.Text(it, key.SK))
	}
	return []projector.Entry{{Unit: at.CommentID, Digest: projector.Digest(it), N: -1}}, nil
}
