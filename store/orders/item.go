package orders

import (
	"fmt"
	"strconv"
	"time"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Projected are the attributes that the indexes of orders carry besides keys. Those that
// orders share with comments carry it, too, and nothing else of an order.
var Projected = []string{item.AttrShown}

// Attributes of items besides their keys and item.AttrShown, of type M, which holds all
// that a list shows of an order or a line.
const (
	attrRevision = "rev"     // of an order, N, another one with every change
	attrUser     = "user"    // of an order's first line, S: whose order it is
	attrCreated  = "created" // of a profile, S, RFC 3339
)

// Members of item.AttrShown: of an order its status and those of TimeNames that are
// known, of a line what it is about.
const (
	memberStatus   = "status"    // S
	memberLines    = "lines"     // N, how many there are
	memberProduct  = "product"   // S
	memberQuantity = "quantity"  // N
	memberAmount   = "unitPrice" // S
	memberCurrency = "currency"  // S
)

// orderItem returns the item of an order, with the keys of the indexes that it is in.
func orderItem(o *Order, revision int) table.Item {
	it := orderKey(o.Username, o.ID)
	it[key.GSIPK] = table.S(key.OrderWithLines(o.ID).Value)
	it[key.GSI2PK] = table.S(key.OrdersOf(o.Username).Value)
	it[key.GSISK] = table.S(o.Placed().SortKey())
	it[key.OrderStatusDate] = table.S(key.StatusDate(o.Status.String(), o.dated()))
	if o.Status == Placed {
		it[key.PlacedID] = table.S(key.OpenOf(o.ID).Value)
	}
	shown := []table.Member{{Name: memberStatus, Kind: 'S', Value: o.Status.String()}, {Name: memberLines, Kind: 'N', Value: strconv.Itoa(o.lines)}}
	for i, at := range o.Times {
		if !at.IsZero() {
			shown = append(shown, table.Member{Name: TimeNames[i], Kind: 'S', Value: at.Format(time.RFC3339Nano)})
		}
	}
	it[item.AttrShown] = table.M(shown)
	it[attrRevision] = table.N(revision)
	return it
}

func orderKey(username, id string) table.Item {
	return table.KeyOf(key.User(username), key.Order(id))
}

// lineItem returns the item of an order's line, counted from 0.
func lineItem(o *Order, n int) table.Item {
	it, line := lineKey(o.ID, n), &o.Lines[n]
	it[key.GSIPK], it[key.GSISK] = it[key.PK], it[key.SK]
	shown := []table.Member{{Name: memberProduct, Kind: 'S', Value: line.ProductID}, {Name: memberQuantity, Kind: 'N', Value: strconv.Itoa(line.Quantity)}}
	if line.Price != nil {
		shown = append(shown, table.Member{Name: memberAmount, Kind: 'S', Value: line.Price.Amount}, table.Member{Name: memberCurrency, Kind: 'S', Value: line.Price.Currency})
	}
	it[item.AttrShown] = table.M(shown)
	if n == 0 {
		it[attrUser] = table.S(o.Username)
	}
	return it
}

func lineKey(orderID string, n int) table.Item { return table.KeyOf(key.Order(orderID), key.Line(n+1)) }

// row is what is read of an order's item or a line's, of the table or of an index.
type row struct {
	pk, sk, user string
	revision     int
	shown        []table.Member
}

// names are the attributes that are read.
var names = table.NewNames(key.PK, key.SK, item.AttrShown, attrRevision, attrUser)

func (r *row) attribute(name string, _ byte, value string) (err error) {
	switch name {
	case key.PK:
		r.pk = value
	case key.SK:
		r.sk = value
	case attrUser:
		r.user = value
	case attrRevision:
		r.revision, err = strconv.Atoi(value)
	case item.AttrShown:
		r.shown, err = table.Members(value)
	}
	return err
}

// rows are those of an answer; it is table.Rows.
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

// order returns the order of an order's row, without its lines.
func (r *row) order() (o Order, err error) {
	var isUser, isOrder bool
	o.Username, isUser = key.Username(r.pk)
	o.ID, isOrder = key.OrderID(r.sk)
	if !isUser || !isOrder {
		return o, r.damaged(errs.Errorf(errs.Internal, "it is not an order"))
	}
	o.revision = r.revision
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

// isLine reports whether the row is one of a line.
func (r *row) isLine() bool { _, ok := key.OrderID(r.pk); return ok }

// line returns the line of a line's row.
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
