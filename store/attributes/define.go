package attributes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// Change is new definitions of a product or of a group, instead of all that it has.
type Change struct {
	Scope
	Definitions []Definition
	// Force makes the change although values do not convert.
	Force bool
}

// validate returns the definitions that result from the change.
func (c Change) validate() ([]Definition, error) {
	list, err := validate(c.Definitions)
	switch {
	case c.Product == "" && c.Group == "":
		err = errs.Join(err, errs.Invalid("productId", "it is missing: give productId or group").For(errs.Required))
	case c.Product != "" && c.Group != "":
		err = errs.Join(err, errs.Invalid("group", "productId is given as well: give one of them").For(errs.Contradiction))
	case c.Product != "":
		err = errs.Join(err, item.ValidateProductID("productId", c.Product))
	default:
		err = errs.Join(err, ValidateGroup("group", c.Group))
	}
	return list, err
}

// Problems returns what is wrong with the change itself, nil if nothing is: a
// BadUserInput error for each field at fault.
func (c Change) Problems() error {
	_, err := c.validate()
	return err
}

// Define changes definitions, and notes that comments are to be brought along. Values
// that comments have do not change. It returns, of attributes that were there
// before, how many comments have a value that converted and does not any more. It
// returns BadUserInput for each field at fault, Conflict if values do not convert and
// the change is not to be forced, or if another writer changed the definitions
// in the meantime, and Unavailable if the store does not answer. A change that changes
// nothing writes nothing.
func (s *Store) Define(ctx context.Context, c Change) ([]Unconverted, error) {
	list, err := c.validate()
	if err != nil {
		return nil, err
	}
	ctx = table.Writing(ctx)
	now, before, err := s.readList(ctx, c.Scope)
	if err != nil || sameDefinitions(before, list) {
		return nil, err
	}
	lost, err := s.unconverted(ctx, c.Scope, before, list)
	if err != nil {
		return nil, err
	}
	if !c.Force && len(lost) > 0 {
		return lost, refuse(lost)
	}
	return lost, s.write(ctx, c.Scope, now, list)
}

// Begin gives a product that never had definitions an empty list of them, so that its
// comments have a version and orders that need no definition, such as that by how many
// found them helpful. It returns an Unavailable error if the store does not answer.
func (s *Store) Begin(ctx context.Context, product string) error {
	of := Scope{Product: product}
	now, err := s.read(ctx, of)
	if err != nil || now.revision > 0 {
		return err
	}
	err = s.write(ctx, of, now, nil)
	if errs.CodeOf(err) == errs.Conflict { // another writer defined something
		return nil
	}
	return err
}

// sameDefinitions reports whether two lists of definitions are spelled alike in the table.
func sameDefinitions(a, b []Definition) bool {
	x, err := json.Marshal(append([]Definition{}, a...)) // none are spelled as an empty list
	y, wrong := json.Marshal(append([]Definition{}, b...))
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// refuse returns the error that says what a change would do to values.
func refuse(lost []Unconverted) error {
	var says []string
	for _, u := range lost {
		if !u.Counted {
			return errs.Errorf(errs.Conflict, "Values of attributes such as %q would not convert, and there are too many comments to count them: send the change with force to make it anyway. Comments keep these values, and a later definition may convert them again", u.Key)
		}
		says = append(says, fmt.Sprintf("%q of %d", u.Key, u.Count))
	}
	return errs.Errorf(errs.Conflict, "Values would not convert: %s comments. Send the change with force to make it anyway. Comments keep these values, and a later definition may convert them again", strings.Join(says, ", "))
}

// readList reads the definitions of a scope as they are now.
func (s *Store) readList(ctx context.Context, of Scope) (scopeState, []Definition, error) {
	now, err := s.read(ctx, of)
	if err != nil {
		return now, nil, err
	}
	list, err := s.list(ctx, of, now.revision)
	return now, list, err
}

// Own returns the definitions of a product or group itself, without those that it
// inherits, strongly consistent. It returns an Unavailable error if the store does not
// answer.
func (s *Store) Own(ctx context.Context, of Scope) ([]Definition, error) {
	_, list, err := s.readList(ctx, of)
	return list, err
}

// write makes the next revision, unless another process was faster.
func (s *Store) write(ctx context.Context, of Scope, now scopeState, list []Definition) error {
	revision, err := listItem(of, now.revision+1, list)
	if err != nil {
		return err
	}
	if err := s.announce(ctx); err != nil {
		return err
	}
	standing := table.Write{Key: of.stateKey(), Update: "SET #rev = :rev", Names: map[string]string{"#rev": attrRevision}, Values: table.Item{":rev": table.N(now.revision + 1)}}
	err = s.t.Transact(ctx, "define the attributes", standing.Unchanged(now.item, attrRevision), table.Write{Put: revision, If: table.Absent}, index.BeginBackfill(s.t, key.AttributeFills, of.pk()))
	if _, lost := table.IsRefused(err); !lost {
		s.states.Remove(of)
		return err
	}
	// The client repeats a write whose answer was lost.
	if _, stands, err := s.readList(ctx, of); err != nil || sameDefinitions(stands, list) {
		return err
	}
	return errs.Errorf(errs.Conflict, "The definitions of %s were changed at the same time: read them again and decide", of)
}

// announce lets every process look for definitions from now on.
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

// Assignment puts a product into a group of products whose definitions it inherits, in
// place of the one that it is in.
type Assignment struct {
	Product string
	Group   string // empty takes it out
	// Force makes the change although values do not convert.
	Force bool
}

// Assign puts a product into a group, or takes it out, and notes that comments are to be
// brought along. Values that comments have do not change. It returns BadUserInput for
// an invalid name, Conflict if values do not convert and it is not to be forced, or if
// another writer assigned the product at the same time, and Unavailable if the store does
// not answer.
func (s *Store) Assign(ctx context.Context, a Assignment) error {
	product, group := a.Product, a.Group
	err := item.ValidateProductID("productId", product)
	if group != "" {
		err = errs.Join(err, ValidateGroup("group", group))
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
		lost, err := s.unassigned(ctx, product, now.group, group)
		if err != nil {
			return err
		}
		if len(lost) > 0 {
			return refuse(lost)
		}
	}
	if err := s.announce(ctx); err != nil {
		return err
	}
	standing := table.Write{
		Key: of.stateKey(), Update: "SET #moves = :moves REMOVE #group",
		Names: map[string]string{"#group": attrGroup, "#moves": attrAssigned}, Values: table.Item{":moves": table.N(now.assigned + 1)},
	}
	var members []table.Write
	if group != "" {
		standing.Update, standing.Values[":group"] = "SET #moves = :moves, #group = :group", table.S(group)
		members = append(members, table.Write{Put: member(group, product)})
	}
	if now.group != "" {
		members = append(members, table.Write{Key: table.Primary(member(now.group, product)), Delete: true})
	}
	err = s.t.Transact(ctx, "assign the product to a group", append(members, standing.Unchanged(now.item, attrGroup, attrAssigned), index.BeginBackfill(s.t, key.AttributeFills, of.pk()))...)
	if _, lost := table.IsRefused(err); !lost {
		s.states.Remove(of)
		return err
	}
	if now, err = s.read(ctx, of); err != nil || now.group == group {
		return err
	}
	return errs.Errorf(errs.Conflict, "The product was assigned to another group at the same time: read its attributes again and decide")
}

// GroupOf returns the group that a product is in, empty for none, strongly consistent.
// It returns an Unavailable error if the store does not answer.
func (s *Store) GroupOf(ctx context.Context, product string) (string, error) {
	now, err := s.read(ctx, Scope{Product: product})
	return now.group, err
}

// member returns the item that says that a product is in a group.
func member(group, product string) table.Item {
	return table.KeyOf(key.AttributeGroup(group), key.Product(product))
}

// Products calls each with every product that definitions are of: the product itself,
// or those of a group. It returns the first error of each, or an Unavailable error if
// the store does not answer.
func (s *Store) Products(ctx context.Context, of Scope, each func(product string) error) error {
	if of.Group == "" {
		return each(of.Product)
	}
	return s.t.Each(ctx, key.Partition{Index: key.Table, Value: of.pk()}, func(it table.Item) error {
		product, ok := key.ProductID(table.Text(it, key.SK))
		if !ok { // a revision
			return nil
		}
		return each(product)
	})
}
