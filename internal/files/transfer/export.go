package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"

	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// Exporter is the part of the store that an export needs.
type Exporter interface {
	Page(ctx context.Context, f plan.Filter, w store.Window) (store.Page, error)
	GetMany(ctx context.Context, ids []string) ([]*store.Comment, error)
	Queue(ctx context.Context, q store.Queue, w store.Window) (list.Page[store.Placed], error)
	EachQueued(ctx context.Context, q store.Queue, each func(*store.Comment) error) error
}

// Export writes the published comments of products as NDJSON, product by product, newest first, and
// returns their number; see ExportHidden for unpublished ones. Comments that are created or deleted
// during the export may be missing. It returns BadUserInput for an invalid product id, before
// anything is written, and the writer's error. After any error but the writer's, the counted
// comments were written.
func Export(ctx context.Context, st Exporter, productIDs []string, photos *PhotoFolder, to io.Writer) (n int, err error) {
	for _, id := range productIDs {
		if err := item.ValidateProductID("productId", id); err != nil {
			return 0, err
		}
	}
	w := bufio.NewWriterSize(to, 64<<10)
	defer func() {
		if flushed := w.Flush(); err == nil {
			err = flushed
		}
	}()
	for _, id := range productIDs {
		wrote, err := exportProduct(ctx, st, id, photos, w)
		n += wrote
		if err != nil {
			return n, fmt.Errorf("export product %s: %w", id, err)
		}
	}
	return n, nil
}

func exportProduct(ctx context.Context, st Exporter, productID string, photos *PhotoFolder, w *bufio.Writer) (n int, err error) {
	var line []byte
	err = EachPublished(ctx, st, productID, func(c *store.Comment) (err error) {
		if line, err = photos.append(ctx, line[:0], c); err != nil {
			return err
		}
		_, err = w.Write(line)
		if err == nil {
			n++
		}
		return err
	})
	return n, err
}

// EachPublished calls each with the published comments of a product as a whole, newest first.
func EachPublished(ctx context.Context, st Exporter, productID string, each func(*store.Comment) error) error {
	var after *key.Position
	for {
		page, err := st.Page(ctx, plan.Filter{ProductID: productID}, store.Window{Limit: store.MaxBatchGet, After: after})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		ids := make([]string, len(page.Items))
		for i := range page.Items {
			ids[i] = page.Items[i].ID
		}
		// Indexes lack long texts and attributes.
		whole, err := st.GetMany(ctx, ids)
		if err != nil {
			return err
		}
		for _, c := range whole {
			// Deleted, moved by an import, or unpublished a moment ago.
			if c == nil || c.ProductID != productID || c.State != item.Published {
				continue
			}
			if err := each(c); err != nil {
				return err
			}
		}
		if !page.HasNext {
			return nil
		}
		last := page.Items[len(page.Items)-1].Position()
		after = &last
	}
}

// hidden are the states of unpublished comments.
var hidden = []item.State{item.Pending, item.Rejected, item.Withdrawn}

// AnyHidden reports whether the shop has unpublished comments.
func AnyHidden(ctx context.Context, st Exporter) (bool, error) {
	for _, state := range hidden {
		page, err := st.Queue(ctx, store.Queue{State: state}, store.Window{Limit: 1})
		if err != nil || len(page.Items) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// ExportHidden is Export for the products' unpublished comments, by state, oldest first. It reads
// all unpublished comments of the shop. If the state of a comment changes during the export, the
// comment may be missing or appear twice.
func ExportHidden(ctx context.Context, st Exporter, productIDs []string, photos *PhotoFolder, to io.Writer) (n int, err error) {
	var line []byte
	for _, state := range hidden {
		err = st.EachQueued(ctx, store.Queue{State: state}, func(c *store.Comment) error {
			if !slices.Contains(productIDs, c.ProductID) {
				return nil
			}
			var err error
			if line, err = photos.append(ctx, line[:0], c); err != nil {
				return err
			}
			_, err = to.Write(line)
			if err == nil {
				n++
			}
			return err
		})
		if err != nil {
			return n, fmt.Errorf("export the %s comments: %w", state, err)
		}
	}
	return n, nil
}
