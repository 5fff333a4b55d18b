// Package families stores families: products whose comments are read together.
//
//	PK                     SK                  content
//	FAMILY#<family id>     FAMILY#<family id>  the family
//	PRODUCT#<product id>   FAMILY              the family of the product, repeated
//
// One transaction writes a family and the items of all its products, on the condition that they are
// as read: so a product has one family at most, and its item alone tells all of it. All methods
// that call the store return an Unavailable error if the store does not answer.
package families

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// The bounds of a family.
const (
	MaxProducts = 25
	MaxLabel    = 200 // characters
)

// Family is products whose comments are read together.
type Family struct {
	ID       string
	Label    string   // empty for none
	Products []string // in the shop's order
}

// Validate returns a BadUserInput error for each invalid field.
func (f *Family) Validate() error {
	err := item.ValidateName("familyId", f.ID, item.MaxProductID)
	if f.Label != "" {
		err = errs.Join(err, item.ValidateLine("label", f.Label, MaxLabel))
	}
	if n := len(f.Products); n > MaxProducts {
		return errs.Join(err, errs.Invalid("productIds", "there are %d, the limit is %d", n, MaxProducts).
			For(errs.TooMany).Past(n, MaxProducts))
	}
	for i, product := range f.Products {
		field := "productIds." + strconv.Itoa(i)
		if err = errs.Join(err, item.ValidateProductID(field, product)); slices.Contains(f.Products[:i], product) {
			err = errs.Join(err, errs.Invalid(field, "it is the same as another one: give each product once").For(errs.Contradiction))
		}
	}
	return err
}

// Families stores the families of a table. It is safe for concurrent use.
type Families struct{ t *table.Table }

// New returns the families of a table.
func New(t *table.Table) *Families { return &Families{t} }

// Attributes of the items.
const (
	attrID       = "family"   // S
	attrLabel    = "label"    // S, absent for none
	attrProducts = "products" // S, a JSON array of ids
	attrRevision = "rev"      // N, random; the same in all items of a family
)

// stored is a family as an item has it.
type stored struct {
	Family
	revision int
}

func parse(it table.Item) (f stored, err error) {
	if err = table.Read(it, table.Fields{attrID: &f.ID, attrLabel: &f.Label, attrRevision: &f.revision}); err == nil {
		err = json.Unmarshal([]byte(table.Text(it, attrProducts)), &f.Products)
	}
	if err != nil {
		return f, table.Damaged(it, err)
	}
	return f, nil
}

func keyOf(id string) table.Item             { return table.Key(key.Family(id)) }
func keyOfProduct(product string) table.Item { return table.KeyOf(key.Product(product), key.FamilySK) }

// read reads items by their keys, strongly consistent. It returns the families by partition key.
func (s *Families) read(ctx context.Context, keys []table.Item) (map[string]stored, error) {
	found := make(map[string]stored, len(keys))
	return found, s.t.GetMany(ctx, keys, true, func(it table.Item) (err error) {
		found[table.Text(it, key.PK)], err = parse(it)
		return err
	})
}

// Get reads families by their ids, in this order and strongly consistent; nil where there is none.
// The ids must differ.
func (s *Families) Get(ctx context.Context, ids []string) ([]*Family, error) {
	return s.list(ctx, ids, key.Family, keyOf)
}

// OfProducts reads the families of different products, like Get.
func (s *Families) OfProducts(ctx context.Context, products []string) ([]*Family, error) {
	return s.list(ctx, products, key.Product, keyOfProduct)
}

func (s *Families) list(ctx context.Context, ids []string, pk func(string) string, of func(string) table.Item) ([]*Family, error) {
	keys, all := make([]table.Item, len(ids)), make([]*Family, len(ids))
	for i, id := range ids {
		keys[i] = of(id)
	}
	found, err := s.read(ctx, keys)
	for i, id := range ids {
		if f, ok := found[pk(id)]; ok {
			all[i] = &f.Family
		}
	}
	return all, err
}

// Define writes a family in place of the one with its id; without products it removes that one. A
// family that is the same already costs no write. It returns BadUserInput for each invalid field,
// and Conflict for a product of another family.
func (s *Families) Define(ctx context.Context, f Family) error {
	if err := f.Validate(); err != nil {
		return err
	}
	ctx = table.Writing(ctx)
	return s.t.Race(ctx, "define the family", func() error { return s.define(ctx, f) })
}

// DefineAll defines families by their products, and keeps their labels. A product may move from one of
// them to another: it leaves the former first. failed gets the errors by family, in the order of ids.
func (s *Families) DefineAll(ctx context.Context, all map[string][]string, failed func(id string, err error)) {
	ids, of := slices.Sorted(maps.Keys(all)), map[string]string{}
	for _, id := range ids {
		for _, product := range all[id] {
			of[product] = id
		}
	}
	found, err := s.Get(ctx, ids)
	for i, id := range ids {
		if f := found[i]; err == nil && f != nil {
			stay := *f
			stay.Products = slices.DeleteFunc(slices.Clone(f.Products), func(product string) bool {
				return of[product] != "" && of[product] != id
			})
			if len(stay.Products) < len(f.Products) {
				_ = s.Define(ctx, stay) // the definitions below meet its error
			}
		}
	}
	for i, id := range ids {
		f, err := Family{ID: id, Products: all[id]}, err
		if err == nil {
			if found[i] != nil {
				f.Label = found[i].Label
			}
			err = s.Define(ctx, f)
		}
		if err != nil {
			failed(id, err)
		}
	}
}

func (s *Families) define(ctx context.Context, f Family) error {
	keys := []table.Item{keyOf(f.ID)}
	for _, product := range f.Products {
		keys = append(keys, keyOfProduct(product))
	}
	found, err := s.read(ctx, keys)
	if err != nil {
		return err
	}
	before := found[key.Family(f.ID)]
	if before.Label == f.Label && slices.Equal(before.Products, f.Products) {
		return nil
	}
	revision := s.t.Random().NextRevision(before.revision)
	put := func(it table.Item, before int) table.Write {
		spelled, _ := json.Marshal(f.Products) // texts always marshal
		it[attrProducts] = table.S(string(spelled))
		table.Set(it, table.Fields{attrID: &f.ID, attrLabel: &f.Label, attrRevision: &revision})
		return table.Write{Put: it}.IfRevision(attrRevision, before)
	}
	writes := []table.Write{put(keyOf(f.ID), before.revision)}
	if len(f.Products) == 0 {
		writes[0] = table.Write{Key: keyOf(f.ID), Delete: true}.IfRevision(attrRevision, before.revision)
	}
	for _, product := range f.Products {
		of := found[key.Product(product)]
		if of.ID != "" && of.ID != f.ID {
			return errs.Errorf(errs.Conflict, "Product %s is in the family %s: define that one without it first",
				item.Printable(product), item.Printable(of.ID))
		}
		writes = append(writes, put(keyOfProduct(product), of.revision))
	}
	for _, product := range before.Products {
		if !slices.Contains(f.Products, product) {
			writes = append(writes, table.Write{Key: keyOfProduct(product), Delete: true}.IfRevision(attrRevision, before.revision))
		}
	}
	return s.t.Transact(ctx, "define the family", writes...)
}
