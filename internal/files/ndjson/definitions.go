package ndjson

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"product-comments/graph/globalid"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/settings/definitions"
	"product-comments/store/settings/families"
)

// Definitions is a line of a file of definitions: the definitions of a group of products, or of a
// product, with its group; or a family of products.
//
//	{"family":"daypack","label":"Daypack","productIds":["42","43"]}
//	{"group":"shoes","definitions":[{"key":"fit","type":"NUMBER","position":0,"shown":true}]}
//	{"productId":"42","group":"shoes","definitions":[]}
type Definitions struct {
	ProductID   string                  `json:"productId,omitempty"`
	Group       string                  `json:"group,omitempty"`
	Definitions []attributes.Definition `json:"definitions,omitzero"` // nil leaves existing definitions

	Family     string   `json:"family,omitempty"`
	Label      string   `json:"label,omitempty"`
	ProductIDs []string `json:"productIds,omitempty"`
}

// Scope returns the product or group that the line defines attributes for.
func (d *Definitions) Scope() definitions.Scope {
	if d.ProductID != "" {
		return definitions.Scope{Product: d.ProductID}
	}
	return definitions.Scope{Group: d.Group}
}

func (d *Definitions) change() definitions.Change {
	return definitions.Change{Scope: d.Scope(), Definitions: d.Definitions}
}

// ParseDefinitions reads a line. A definition without a position has its index in the list. Unknown
// members are refused, because a typing error would remove a part of a definition until comments
// lack it.
func ParseDefinitions(line []byte) (d Definitions, err error) {
	if err := json.Unmarshal(line, &d, json.RejectUnknownMembers(true)); err != nil {
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
	err = json.Unmarshal(line, &placed)
	for i, p := range placed.Definitions {
		if p.Position == nil {
			d.Definitions[i].Position = i
		}
	}
	if err != nil {
		return d, err
	}
	if d.Family != "" || d.ProductIDs != nil {
		return d, d.checkFamily()
	}
	d.ProductID, err = globalid.ParseOwn("productId", d.ProductID, globalid.Product)
	if err == nil && d.ProductID != "" && d.Group != "" {
		err = attributes.ValidateGroup("group", d.Group)
	}
	return d, errs.Join(err, d.change().Problems())
}

// checkFamily validates a line of a family.
func (d *Definitions) checkFamily() (err error) {
	if d.ProductID != "" || d.Group != "" || d.Definitions != nil {
		return errs.Invalid("family", "it has a line of its own: leave productId, group and definitions out").For(errs.Contradiction)
	}
	for i, text := range d.ProductIDs {
		product, wrong := globalid.ParseOwn(fmt.Sprintf("productIds.%d", i), text, globalid.Product)
		d.ProductIDs[i], err = product, errs.Join(err, wrong)
	}
	f := d.family()
	return errs.Join(err, f.Validate())
}

func (d *Definitions) family() families.Family {
	return families.Family{ID: d.Family, Label: d.Label, Products: d.ProductIDs}
}

// Of names what the line defines, for people.
func (d *Definitions) Of() string {
	if d.Family != "" {
		return fmt.Sprintf("the family %q", d.Family)
	}
	return "the attributes of " + d.Scope().String()
}

// Define assigns the line's product to its group, and writes the definitions, or the family. It leaves
// equal ones unchanged, so it can be repeated.
func (d *Definitions) Define(ctx context.Context, in *definitions.Store, of *families.Families) error {
	if d.Family != "" {
		return of.Define(ctx, d.family())
	}
	if d.ProductID != "" && d.Group != "" {
		if err := in.Assign(ctx, definitions.Assignment{Product: d.ProductID, Group: d.Group}); err != nil {
			return err
		}
	}
	if d.Definitions == nil {
		return nil
	}
	_, err := in.Define(ctx, d.change())
	return err
}
