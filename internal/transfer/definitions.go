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

	strict "github.com/go-json-experiment/json"

	"product-comments/internal/globalid"
	"product-comments/internal/progress"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/item"
)

// definitionLine is a line of a file of definitions: the definitions of a group of products, or of a
// product, with its group.
//
//	{"group":"shoes","definitions":[{"key":"fit","type":"NUMBER","position":0,"shown":true}]}
//	{"productId":"42","group":"shoes","definitions":[]}
type definitionLine struct {
	ProductID   string                  `json:"productId,omitempty"`
	Group       string                  `json:"group,omitempty"`
	Definitions []attributes.Definition `json:"definitions"` // nil leaves existing definitions

	line int64
}

// scope returns the product or group that the line defines attributes for.
func (d *definitionLine) scope() attributes.Scope {
	if d.ProductID != "" {
		return attributes.Scope{Product: d.ProductID}
	}
	return attributes.Scope{Group: d.Group}
}

func (d *definitionLine) change() attributes.Change {
	return attributes.Change{Scope: d.scope(), Definitions: d.Definitions}
}

// ExportDefinitions writes the attribute definitions of groups, then the definitions and the groups
// of products. Products without definitions have no line. It returns the number of lines,
// BadUserInput for an invalid product id, before anything is written, and the writer's error.
func ExportDefinitions(
	ctx context.Context, from *attributes.Store, productIDs []string, to io.Writer,
) (n int, err error) {
	var groups, products []definitionLine
	for _, id := range productIDs {
		if err := item.ValidateProductID("productId", id); err != nil {
			return 0, err
		}
		d := definitionLine{ProductID: globalid.Text(globalid.Product, id)}
		if d.Group, err = from.GroupOf(ctx, id); err != nil {
			return 0, err
		}
		own, err := from.Own(ctx, attributes.Scope{Product: id})
		if err != nil {
			return 0, err
		}
		if d.Group == "" && len(own) == 0 {
			continue
		}
		d.Definitions = append([]attributes.Definition{}, own...) // not nil: the line replaces all definitions
		products = append(products, d)
		if d.Group == "" || slices.ContainsFunc(groups, func(g definitionLine) bool { return g.Group == d.Group }) {
			continue
		}
		g := definitionLine{Group: d.Group}
		shared, err := from.Own(ctx, g.scope())
		if err != nil {
			return 0, err
		}
		g.Definitions = append([]attributes.Definition{}, shared...)
		groups = append(groups, g)
	}
	w := bufio.NewWriter(to)
	spell := json.NewEncoder(w)
	spell.SetEscapeHTML(false)
	for _, d := range append(groups, products...) {
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
	lines []definitionLine
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
		d, err := parseDefining(line)
		if err != nil {
			problems = errors.Join(problems, fmt.Errorf("%s, line %d: %w", name, number, err))
			continue
		}
		d.line = number
		all.lines = append(all.lines, d)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, problems
}

// parseDefining parses a line. Unknown members are refused, because a typing error would remove a
// part of a definition until comments lack it.
func parseDefining(line []byte) (d definitionLine, err error) {
	if err := strict.Unmarshal(line, &d, strict.RejectUnknownMembers(true)); err != nil {
		wrong := errs.JSON("", err)
		if wrong.Field == "" {
			return d, fmt.Errorf("it is not an object of definitions: %w", wrong)
		}
		return d, wrong
	}
	var placed struct {
		Definitions []struct {
			Position *int `json:"position"`
		} `json:"definitions"`
	}
	err = strict.Unmarshal(line, &placed)
	for i, p := range placed.Definitions {
		if p.Position == nil {
			d.Definitions[i].Position = i
		}
	}
	if err != nil {
		return d, err
	}
	d.ProductID, err = globalid.ParseOwn("productId", d.ProductID, globalid.Product)
	if err == nil && d.ProductID != "" && d.Group != "" {
		err = attributes.ValidateGroup("group", d.Group)
	}
	return d, errs.Join(err, d.change().Problems())
}

// define writes the definitions of products and groups, and assigns products to their groups. It
// leaves existing equal ones unchanged, so it can be repeated.
func (d *Definitions) define(ctx context.Context, in *attributes.Store, show *progressOutput) error {
	if d == nil {
		return nil
	}
	of := 0
	for _, line := range d.lines {
		err := line.define(ctx, in)
		if err != nil {
			return fmt.Errorf("%s, line %d: define the attributes of %s: %w", d.name, line.line, line.scope(), err)
		}
		of += len(line.Definitions)
	}
	show.printf("%s: %s defined", d.name, progress.Counted(int64(of), "attribute"))
	return nil
}

func (d *definitionLine) define(ctx context.Context, in *attributes.Store) error {
	if d.ProductID != "" && d.Group != "" {
		if err := in.Assign(ctx, attributes.Assignment{Product: d.ProductID, Group: d.Group}); err != nil {
			return err
		}
	}
	if d.Definitions == nil {
		return nil
	}
	_, err := in.Define(ctx, d.change())
	return err
}
