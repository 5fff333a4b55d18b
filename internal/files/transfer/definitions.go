package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"product-comments/graph/globalid"
	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/settings/definitions"
)

// ExportDefinitions writes the attribute definitions of groups, then the definitions and the groups
// of products, then the families of products. Products without definitions have no line. It returns the number of lines,
// BadUserInput for an invalid product id, before anything is written, and the writer's error.
func ExportDefinitions(
	ctx context.Context, of *store.Store, productIDs []string, to io.Writer,
) (n int, err error) {
	from := of.Attributes()
	var groups, products, together []ndjson.Definitions
	own := func(of definitions.Scope) ([]attributes.Definition, error) {
		list, err := from.Own(ctx, of)
		return append([]attributes.Definition{}, list...), err // not nil: the line replaces all definitions
	}
	for _, id := range productIDs {
		if err := item.ValidateProductID("productId", id); err != nil {
			return 0, err
		}
		d := ndjson.Definitions{ProductID: globalid.Text(globalid.Product, id)}
		if d.Group, err = from.GroupOf(ctx, id); err != nil {
			return 0, err
		}
		if d.Definitions, err = own(definitions.Scope{Product: id}); err != nil {
			return 0, err
		}
		if d.Group == "" && len(d.Definitions) == 0 {
			continue
		}
		products = append(products, d)
		if d.Group == "" || slices.ContainsFunc(groups, func(g ndjson.Definitions) bool { return g.Group == d.Group }) {
			continue
		}
		g := ndjson.Definitions{Group: d.Group}
		if g.Definitions, err = own(g.Scope()); err != nil {
			return 0, err
		}
		groups = append(groups, g)
	}
	found, err := of.Families().OfProducts(ctx, productIDs)
	if err != nil {
		return 0, err
	}
	for _, f := range found {
		if f == nil || slices.ContainsFunc(together, func(d ndjson.Definitions) bool { return d.Family == f.ID }) {
			continue
		}
		d := ndjson.Definitions{Family: f.ID, Label: f.Label}
		for _, id := range f.Products {
			d.ProductIDs = append(d.ProductIDs, globalid.Text(globalid.Product, id))
		}
		together = append(together, d)
	}
	w := bufio.NewWriter(to)
	spell := json.NewEncoder(w)
	spell.SetEscapeHTML(false)
	for _, d := range slices.Concat(groups, products, together) {
		if err := spell.Encode(d); err != nil {
			return n, err
		}
		n++
	}
	return n, w.Flush()
}

// Definitions are the validated definitions of a file.
type Definitions struct {
	name  string
	lines []numberedDefinitions
}

type numberedDefinitions struct {
	of     ndjson.Definitions
	number int64 // of the line, from 1
}

// longestDefinitions is the maximum of bytes of a line: more than the definitions of one item.
const longestDefinitions = 64 << 20

// ReadDefinitions reads a file of definitions, plain or gzip. It returns an error that names the
// line, and the field if the error is about one.
func ReadDefinitions(ctx context.Context, name string) (*Definitions, error) {
	if name == stdin {
		return nil, errors.New("standard input cannot be used here: name a file")
	}
	info, err := inspect(name)
	if err != nil {
		return nil, err
	}
	src, err := open(name, info, nil)
	if err != nil {
		return nil, err
	}
	defer src.file.Close() // it was only read
	from, err := src.stream(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	all := &Definitions{name: name}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longestDefinitions)
	var problems error
	for number := int64(1); lines.Scan(); number++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte(byteOrder)))
		if len(line) == 0 {
			continue
		}
		d, err := ndjson.ParseDefinitions(line)
		if err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s, line %d: %w", name, number, err))
			continue
		}
		all.lines = append(all.lines, numberedDefinitions{d, number})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, problems
}

// define writes the definitions of products and groups, and families, and assigns products to their
// groups. It leaves existing equal ones unchanged, so it can be repeated.
func (d *Definitions) define(ctx context.Context, o Options, show *progressOutput) error {
	if d == nil {
		return nil
	}
	of := 0
	for _, line := range d.lines {
		if err := line.of.Define(ctx, o.Attributes, o.Families); err != nil {
			return fmt.Errorf("%s, line %d: define %s: %w", d.name, line.number, line.of.Of(), err)
		}
		of += len(line.of.Definitions)
	}
	show.Printf("%s: %s defined", d.name, progress.Counted(int64(of), "attribute"))
	return nil
}
