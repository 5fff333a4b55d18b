package definitions

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Change replaces all definitions of a product or of a group.
type Change struct {
	Scope
	Definitions []attributes.Definition
	// Force makes the change even if values may no longer convert.
	Force bool
}

// validate returns the definitions that result from the change.
func (c Change) validate() ([]attributes.Definition, error) {
	list, err := attributes.Validate(c.Definitions)
	switch {
	case c.Product == "" && c.Group == "":
		err = errs.Join(err, errs.Invalid("productId", "it is missing: give productId or group").For(errs.Required))
	case c.Product != "" && c.Group != "":
		err = errs.Join(err, errs.Invalid("group", "productId is given as well: give one of them").
			For(errs.Contradiction))
	case c.Product != "":
		err = errs.Join(err, item.ValidateProductID("productId", c.Product))
	default:
		err = errs.Join(err, attributes.ValidateGroup("group", c.Group))
	}
	return list, err
}

// Problems returns the errors of the change itself: a BadUserInput error for each invalid
// field, or nil.
func (c Change) Problems() error {
	_, err := c.validate()
	return err
}

// Define changes definitions and begins a backfill of the affected comments. Values in comments do
// not change. Define returns the keys of the attributes whose values may no longer convert: none
// while no product of the scope has a published comment. It returns BadUserInput for each invalid
// field, and Conflict if there are such attributes and Force is not set, or if another process
// changes the definitions at the same time. A change without effect writes nothing.
func (s *Store) Define(ctx context.Context, c Change) (unconverted []string, err error) {
	list, err := c.validate()
	if err != nil {
		return nil, err
	}
	ctx = table.Writing(ctx)
	now, before, err := s.readList(ctx, c.Scope)
	if err != nil || sameDefinitions(before, list) {
		return nil, err
	}
	inherited, err := s.inherited(ctx, now.group)
	if err != nil {
		return nil, err
	}
	unconverted, err = s.unconverted(ctx, c.Scope, attributes.Effective("", before, now.group, inherited),
		attributes.Effective("", list, now.group, inherited))
	if err != nil {
		return nil, err
	}
	if !c.Force && len(unconverted) > 0 {
		return unconverted, refuse(unconverted)
	}
	return unconverted, s.write(ctx, c.Scope, now, list)
}

// Begin gives a product without any definitions an empty list of them. Then its comments have a
// version, and the product has the orders that need no definition, such as by helpfulness.
func (s *Store) Begin(ctx context.Context, product string) error {
	of := Scope{Product: product}
	now, err := s.read(ctx, of)
	if err != nil || now.revision > 0 {
		return err
	}
	err = s.write(ctx, of, now, nil)
	if errs.CodeOf(err) == errs.Conflict { // another process has written definitions
		return nil
	}
	return err
}

// sameDefinitions reports whether two lists of definitions have the same spelling in the table.
func sameDefinitions(a, b []attributes.Definition) bool {
	x, err := json.Marshal(append([]attributes.Definition{}, a...)) // nil and empty lists have the same spelling
	y, wrong := json.Marshal(append([]attributes.Definition{}, b...))
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// refuse returns the error of a change after which values of attributes may no longer convert.
func refuse(keys []string) error {
	quoted := make([]string, len(keys))
	for i, k := range keys {
		quoted[i] = strconv.Quote(k)
	}
	return errs.Errorf(errs.Conflict, "There are comments, and their values of %s may no longer convert: send the change with force to make it anyway. Comments keep these values, and a later definition may convert them again", strings.Join(quoted, ", "))
}

// readList reads the current definitions of a scope.
func (s *Store) readList(ctx context.Context, of Scope) (scopeState, []attributes.Definition, error) {
	now, err := s.read(ctx, of)
	if err != nil {
		return now, nil, err
	}
	list, err := s.list(ctx, of, now.revision)
	return now, list, err
}

// Own returns the definitions of a product or group without inherited ones, strongly consistent.
func (s *Store) Own(ctx context.Context, of Scope) ([]attributes.Definition, error) {
	_, list, err := s.readList(ctx, of)
	return list, err
}

// write writes the next revision, unless another process has written one.
func (s *Store) write(ctx context.Context, of Scope, now scopeState, list []attributes.Definition) error {
	revision, err := listItem(of, now.revision+1, list)
	if err != nil {
		return err
	}
	if err := s.announce(ctx); err != nil {
		return err
	}
	standing := table.Write{Key: of.stateKey(), Update: "SET #rev = :rev",
		Names: map[string]string{"#rev": attrRevision}, Values: table.Item{":rev": table.N(now.revision + 1)}}
	err = s.t.Transact(ctx, "define the attributes", standing.Unchanged(now.item, attrRevision),
		table.Write{Put: revision, If: table.Absent}, s.backfill(of.pk()))
	if _, lost := table.IsRefused(err); !lost {
		s.states.Remove(of)
		return err
	}
	// The refusal may come from the client's own retry of a write that succeeded.
	if _, stands, err := s.readList(ctx, of); err != nil || sameDefinitions(stands, list) {
		return err
	}
	return errs.Errorf(errs.Conflict, "The definitions of %s were changed at the same time: read them again and decide", of)
}

// announce notes in the settings that the table has definitions, so that every process reads
// them.
func (s *Store) announce(ctx context.Context) error {
	if known, err := s.settings.Recent(ctx); err != nil || known.Attributes {
		return err
	}
	_, err := s.settings.Change(ctx, func(now *settings.Settings) (bool, error) {
		changed := !now.Attributes
		now.Attributes, now.Weights = true, sortable.Weights()
		return changed, nil
	})
	return err
}

// Assignment moves a product into a group of products whose definitions it inherits, or out of
// its group.
type Assignment struct {
	Product string
	Group   string // empty removes the product from its group
	// Force makes the change even if values may no longer convert.
	Force bool
}

// Assign moves a product into a group, or out of its group, and begins a backfill of the product's
// comments. Values in comments do not change. It returns BadUserInput for an invalid name, and
// Conflict if the product has published comments whose values may no longer convert and Force is
// not set, or if another process assigns the product at the same time.
func (s *Store) Assign(ctx context.Context, a Assignment) error {
	product, group := a.Product, a.Group
	err := item.ValidateProductID("productId", product)
	if group != "" {
		err = errs.Join(err, attributes.ValidateGroup("group", group))
	}
	if err != nil {
		return err
	}
	ctx = table.Writing(ctx)
	of := Scope{Product: product}
	now, err := s.read(ctx, of)
	if err != nil || now.group == group {
		return err
	}
	if !a.Force {
		if err := s.checkAssignment(ctx, of, now, group); err != nil {
			return err
		}
	}
	if err := s.announce(ctx); err != nil {
		return err
	}
	standing := table.Write{
		Key: of.stateKey(), Update: "SET #moves = :moves REMOVE #group",
		Names:  map[string]string{"#group": attrGroup, "#moves": attrAssigned},
		Values: table.Item{":moves": table.N(now.assigned + 1)},
	}
	var members []table.Write
	if group != "" {
		standing.Update, standing.Values[":group"] = "SET #moves = :moves, #group = :group", table.S(group)
		members = append(members, table.Write{Put: member(group, product)})
	}
	if now.group != "" {
		members = append(members, table.Write{Key: table.Primary(member(now.group, product)), Delete: true})
	}
	err = s.t.Transact(ctx, "assign the product to a group",
		append(members, standing.Unchanged(now.item, attrGroup, attrAssigned),
			s.backfill(of.pk()))...)
	if _, lost := table.IsRefused(err); !lost {
		s.states.Remove(of)
		return err
	}
	if now, err = s.read(ctx, of); err != nil || now.group == group {
		return err
	}
	return errs.Errorf(errs.Conflict, "The product was assigned to another group at the same time: read its attributes again and decide")
}

// checkAssignment returns a Conflict error if values of a product may no longer convert in
// another group.
func (s *Store) checkAssignment(ctx context.Context, of Scope, now scopeState, group string) error {
	own, err := s.list(ctx, of, now.revision)
	if err != nil {
		return err
	}
	before, err := s.inherited(ctx, now.group)
	if err != nil {
		return err
	}
	after, err := s.inherited(ctx, group)
	if err != nil {
		return err
	}
	unconverted, err := s.unconverted(ctx, of, attributes.Effective("", own, now.group, before), attributes.Effective("", own, group, after))
	if err == nil && len(unconverted) > 0 {
		err = refuse(unconverted)
	}
	return err
}

// inherited returns the definitions of a group, none for an empty name.
func (s *Store) inherited(ctx context.Context, group string) ([]attributes.Definition, error) {
	if group == "" {
		return nil, nil
	}
	return s.Own(ctx, Scope{Group: group})
}

// GroupOf returns the group of a product, "" for none, strongly consistent.
func (s *Store) GroupOf(ctx context.Context, product string) (string, error) {
	now, err := s.read(ctx, Scope{Product: product})
	return now.group, err
}

// member returns the item that lists a product in a group.
func member(group, product string) table.Item {
	return table.KeyOf(key.AttributeGroup(group), key.Product(product))
}

// Products calls each with every product of a scope: the product itself, or the products of a
// group. It returns the first error of each.
func (s *Store) Products(ctx context.Context, of Scope, each func(product string) error) error {
	if of.Group == "" {
		return each(of.Product)
	}
	return s.t.Each(ctx, key.Partition{Index: key.Table, Value: of.pk()}, func(it table.Item) error {
		product, ok := key.ProductID(table.Text(it, key.SK))
		if !ok { // the item of a revision
			return nil
		}
		return each(product)
	})
}
