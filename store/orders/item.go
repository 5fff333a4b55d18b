package orders

import (
	"fmt"
	"strconv"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Projected are the attributes that the indexes of orders project. The indexes that orders
// share with comments project them, too, and no other attributes of an order.
var Projected = []string{item.AttrShown}

// Attributes of items, other than keys and item.AttrShown. The latter, of type M, has
// everything that lists show of an order or a line.
const (
	attrRevision = "rev"     // of an order, N, changes with every write
	attrUser     = "user"    // of an order's first line, S: the order's user
	attrCreated  = "created" // of a profile, S, RFC 3339
	attrAsks     = "asks"    // of an order, BOOL: there is a review request; absent for false
)

// Members of item.AttrShown: for an order its status, number of lines and the known times by
// TimeNames, for a line its product, quantity and price.
const (
	memberStatus   = "status"    // S
	memberLines    = "lines"     // N, number of lines
	memberProduct  = "product"   // S
	memberQuantity = "quantity"  // N
	memberAmount   = "unitPrice" // S
	memberCurrency = "currency"  // S
)

// orderItem returns the item of an order, with the keys of its indexes.
func orderItem(o *Order, revision int) table.Item {
	it := orderKey(o.Username, o.ID)
	it[key.GSIPK] = table.S(key.OrderWithLines(o.ID).Value)
	it[key.GSI2PK] = table.S(key.OrdersOf(o.Username).Value)
	it[key.GSISK] = table.S(o.Placed().SortKey())
	it[key.OrderStatusDate] = table.S(key.StatusDate(o.Status.String(), o.dated()))
	if o.Status == Placed {
		it[key.PlacedID] = table.S(key.OpenOf(o.ID).Value)
	}
	shown := []table.Member{{Name: memberStatus, Kind: 'S', Value: o.Status.String()},
		{Name: memberLines, Kind: 'N', Value: strconv.Itoa(o.lines)}}
	for i, at := range o.Times {
		if !at.IsZero() {
			shown = append(shown, table.Member{Name: TimeNames[i], Kind: 'S', Value: at.Format(time.RFC3339Nano)})
		}
	}
	it[item.AttrShown] = table.M(shown)
	it[attrRevision] = table.N(revision)
	if o.asks {
		it[attrAsks] = table.Bool(true)
	}
	return it
}

func orderKey(username, id string) table.Item {
	return table.KeyOf(key.User(username), key.Order(id))
}

// lineItem returns the item of an order's line, counted from 0.
func lineItem(o *Order, n int) table.Item {
	it, line := lineKey(o.ID, n), &o.Lines[n]
	it[key.GSIPK], it[key.GSISK] = it[key.PK], it[key.SK]
	shown := []table.Member{{Name: memberProduct, Kind: 'S', Value: line.ProductID},
		{Name: memberQuantity, Kind: 'N', Value: strconv.Itoa(line.Quantity)}}
	if line.Price != nil {
		shown = append(shown, table.Member{Name: memberAmount, Kind: 'S', Value: line.Price.Amount},
			table.Member{Name: memberCurrency, Kind: 'S', Value: line.Price.Currency})
	}
	it[item.AttrShown] = table.M(shown)
	if n == 0 {
		it[attrUser] = table.S(o.Username)
	}
	return it
}

func lineKey(orderID string, n int) table.Item { return table.KeyOf(key.Order(orderID), key.Line(n+1)) }

// row has the attributes of an order's or a line's item, from the table or an index.
type row struct {
	pk, sk, user string
	revision     int
	asks         bool
	shown        []table.Member
}

// names are the attributes that are read.
var names = table.NewNames(key.PK, key.SK, item.AttrShown, attrRevision, attrUser, attrAsks)

func (r *row) attribute(name string, _ byte, value string) (err error) {
	switch name {
	case key.PK:
		r.pk = value
	case key.SK:
		r.sk = value
	case attrUser:
		r.user = value
	case attrAsks:
		r.asks = true
	case attrRevision:
		r.revision, err = strconv.Atoi(value)
	case item.AttrShown:
		r.shown, err = table.Members(value)
	}
	return err
}

// rows collects the rows of a response. It implements table.Rows.
type rows struct {
	all  []row
	next row
}

func (r *rows) Expect(int) { *r = rows{} }

func (r *rows) Attribute(name string, kind byte, value string) error {
	return r.next.attribute(name, kind, value)
}

func (r *rows) EndItem() error {
	r.all, r.next = append(r.all, r.next), row{}
	return nil
}

func rowOf(it table.Item) (r row, err error) {
	if err = table.EachAttribute(it, names, r.attribute); err != nil {
		return r, table.Damaged(it, err)
	}
	return r, nil
}

func (r *row) damaged(cause error) error { return table.Damaged(table.KeyOf(r.pk, r.sk), cause) }

// order parses the row of an order, without its lines.
func (r *row) order() (o Order, err error) {
	var isUser, isOrder bool
	o.Username, isUser = key.Username(r.pk)
	o.ID, isOrder = key.OrderID(r.sk)
	if !isUser || !isOrder {
		return o, r.damaged(errs.Errorf(errs.Internal, "it is not an order"))
	}
	o.revision, o.asks = r.revision, r.asks
	for _, m := range r.shown {
		switch m.Name {
		case memberStatus:
			o.Status, err = ParseStatus("status", m.Value)
		case memberLines:
			o.lines, err = strconv.Atoi(m.Value)
		default:
			err = o.readTime(m)
		}
		if err != nil {
			return o, r.damaged(err)
		}
	}
	if o.Status == 0 || o.Times.Get(Placed).IsZero() {
		return o, r.damaged(errs.Errorf(errs.Internal, "it lacks its status or the time when it was placed"))
	}
	return o, nil
}

func (o *Order) readTime(m table.Member) (err error) {
	for i, name := range TimeNames {
		if name == m.Name {
			o.Times[i], err = time.Parse(time.RFC3339Nano, m.Value)
			return err
		}
	}
	return fmt.Errorf("it has the member %q", m.Name)
}

// isLine reports whether the row belongs to a line.
func (r *row) isLine() bool { _, ok := key.OrderID(r.pk); return ok }

// line parses the row of a line.
func (r *row) line() (l Line, err error) {
	price := Money{}
	for _, m := range r.shown {
		switch m.Name {
		case memberProduct:
			l.ProductID = m.Value
		case memberQuantity:
			l.Quantity, err = strconv.Atoi(m.Value)
		case memberAmount:
			price.Amount = m.Value
		case memberCurrency:
			price.Currency = m.Value
		}
		if err != nil {
			return l, r.damaged(err)
		}
	}
	if price.Amount != "" {
		l.Price = &price
	}
	return l, nil
}
