package orders

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders/requests"
	"product-comments/store/table"
)

// Orders reads and writes the orders of a table. It is safe for concurrent use.
type Orders struct {
	t        *table.Table
	requests *requests.Requests
}

// New returns the orders of a table, with their review requests.
func New(t *table.Table, r *requests.Requests) *Orders { return &Orders{t, r} }

// Get reads an order with its lines (A3): from the index or, if the index does not have all of them
// yet, from the table, strongly consistent. It returns NotFound if there is no such order.
func (o *Orders) Get(ctx context.Context, id string) (Order, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	rows, err := o.query(ctx, table.Query{Partition: key.OrderWithLines(id)})
	if err != nil {
		return Order{}, err
	}
	if len(rows) > 0 && !rows[0].isLine() {
		found, err := rows[0].order()
		if err != nil {
			return found, err
		}
		if complete(rows[1:], found.lines) {
			found.Lines, err = linesOf(rows[1:])
			return found, err
		}
	}
	found, err := o.readConsistent(ctx, id)
	if err == nil && found.revision == 0 {
		err = NotFound(id)
	}
	return found, err
}

// GetMany is Get for several orders. An order that does not exist is nil.
func (o *Orders) GetMany(ctx context.Context, ids []string) ([]*Order, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	out := make([]*Order, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lineReaders)
	for i, id := range ids {
		group.Go(func() error {
			found, err := o.Get(ctx, id)
			if errs.CodeOf(err) == errs.NotFound {
				return nil
			}
			out[i] = &found
			return err
		})
	}
	return out, group.Wait()
}

// Asked reads what the sender of review requests needs to know of an order, strongly consistent.
func (o *Orders) Asked(ctx context.Context, id string) (requests.Order, error) {
	now, err := o.readConsistent(ctx, id)
	return requests.Order{Subject: now.Username, Delivered: now.deliveredAt(o.t.Now()), Products: now.Products(),
		Over: now.revision == 0 || now.Status.over() || isErasedUser(now.Username)}, err
}

// deliveredAt returns when an order was delivered, now if that is unknown; zero if it was not.
func (o *Order) deliveredAt(now time.Time) time.Time {
	switch at := o.Times.Get(Delivered); {
	case o.Status != Delivered:
		return time.Time{}
	case at.IsZero():
		return now
	default:
		return at
	}
}

// readAttempts bounds how often an incomplete order is read. An order is incomplete only for
// moments, while a transaction is being applied.
const readAttempts = 10

// readConsistent reads an order with its lines from the table, strongly consistent. If there is
// no order, its revision is 0. If a concurrent transaction writes the items or changes the
// order's user, readConsistent reads again.
func (o *Orders) readConsistent(ctx context.Context, id string) (Order, error) {
	pause := o.t.NewRace()
	for range readAttempts {
		rows, err := o.query(ctx, table.Query{Partition: linesIn(id), Consistent: true})
		if err != nil || len(rows) == 0 {
			return Order{}, err
		}
		it, err := o.t.Get(ctx, "the order", orderKey(rows[0].user, id))
		if err != nil {
			return Order{}, err
		}
		if it != nil {
			found, err := orderOf(it)
			if err != nil {
				return found, err
			}
			if complete(rows, found.lines) {
				found.Lines, err = linesOf(rows)
				return found, err
			}
		}
		if err := pause.Wait(ctx); err != nil {
			return Order{}, table.Failed("read the order", err)
		}
	}
	return Order{}, table.Damaged(lineKey(id, 0),
		errs.Errorf(errs.Internal, "the order's head or some of its lines are missing"))
}

// complete reports whether rows are all lines of an order, given their number.
func complete(rows []row, lines int) bool {
	return len(rows) == lines && !slices.ContainsFunc(rows, func(r row) bool { return !r.isLine() })
}

// orderOf parses an order's item, without its lines.
func orderOf(it table.Item) (Order, error) {
	r, err := rowOf(it)
	if err != nil {
		return Order{}, err
	}
	return r.order()
}

// Each calls each with every order of the table, with its lines, in no particular order; calls do
// not overlap. It returns the first error of each. Each finds orders by their first lines, whose
// keys never change: so an order that an erasure moves to another user in between is seen once, like
// all others.
func (o *Orders) Each(ctx context.Context, how table.ScanOptions, each func(*Order) error) error {
	var mu sync.Mutex
	return o.t.NewScanner(how).Run(table.Patiently(ctx), func(ctx context.Context, it table.Item) error {
		id, isLine := key.OrderID(table.Text(it, key.PK))
		if !isLine || table.Text(it, key.SK) != key.Line(1) {
			return nil
		}
		found, err := o.readConsistent(ctx, id)
		if err != nil || found.revision == 0 {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return each(&found)
	})
}

// Whole returns the order of an item, and reads its lines. It returns an Unavailable error if
// these could not be read.
func (o *Orders) Whole(ctx context.Context, it table.Item) (Order, error) {
	found, err := orderOf(it)
	if err != nil {
		return found, err
	}
	lines, err := o.Lines(ctx, []Ref{found.Ref()})
	if err == nil {
		found.Lines = lines[0]
	}
	return found, err
}

// linesIn returns the partition of an order's lines in the table.
func linesIn(orderID string) key.Partition {
	return key.Partition{Index: key.Table, Value: key.Order(orderID)}
}

func linesOf(rows []row) ([]Line, error) {
	lines := make([]Line, len(rows))
	for i := range rows {
		var err error
		if lines[i], err = rows[i].line(); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// query reads a whole partition with few items.
func (o *Orders) query(ctx context.Context, q table.Query) (all []row, err error) {
	for it, err := range o.t.All(ctx, q) {
		if err != nil {
			return nil, err
		}
		r, err := rowOf(it)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// lineReaders bounds concurrent queries for lines.
const lineReaders = 8

// Ref refers to an order for reading its lines.
type Ref struct {
	ID    string
	lines int // the number of lines according to the order
}

// Ref returns the order's reference.
func (o *Order) Ref() Ref { return Ref{o.ID, o.lines} }

// Lines reads the lines of orders, in the order of the references. It costs 0.5 read units for
// an order of about thirty lines, more while the order is new. It returns an Unavailable error
// if some could not be read.
func (o *Orders) Lines(ctx context.Context, of []Ref) ([][]Line, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	out := make([][]Line, len(of))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lineReaders)
	for i, ref := range of {
		group.Go(func() error {
			rows, err := o.query(ctx, table.Query{Partition: linesIn(ref.ID)})
			if err != nil {
				return err
			}
			if !complete(rows, ref.lines) { // the replica is behind
				now, err := o.readConsistent(ctx, ref.ID)
				out[i] = now.Lines
				return err
			}
			out[i], err = linesOf(rows)
			return err
		})
	}
	return out, group.Wait()
}

// User is a person with an order, a comment or other items in the table.
type User struct {
	Name    string
	Created time.Time // when their first order was placed; zero if there is none
}

// Users reads the profiles of different users, in their order, nil for users without any items
// (A1). It costs a read unit for each. It returns an Unavailable error if not all could be
// read.
func (o *Orders) Users(ctx context.Context, usernames []string) ([]*User, error) {
	ctx, cancel := o.t.Deadline(ctx)
	defer cancel()
	keys, profiles := make([]table.Item, len(usernames)), map[string]table.Item{}
	for i, name := range usernames {
		keys[i] = profileKey(name)
	}
	err := o.t.GetMany(ctx, keys, true, func(it table.Item) error {
		profiles[table.Text(it, key.PK)] = it
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*User, len(usernames))
	for i, name := range usernames {
		found := User{Name: name}
		if it := profiles[key.User(name)]; it != nil {
			var err error
			if found.Created, err = SinceOf(it); err != nil {
				return nil, err
			}
		} else if kept, err := o.hasItems(ctx, name); err != nil || !kept {
			if err != nil {
				return nil, err
			}
			continue
		}
		out[i] = &found
	}
	return out, nil
}

// hasItems reports whether the table has items of a user without a profile.
func (o *Orders) hasItems(ctx context.Context, username string) (bool, error) {
	items, _, err := o.t.Query(ctx, table.Query{Partition: key.Partition{Index: key.Table, Value: key.User(username)},
		Limit: 1, Consistent: true})
	return len(items) > 0, err
}

func profileKey(username string) table.Item { return table.KeyOf(key.User(username), key.Profile) }

// SinceOf returns the time of a profile's item.
func SinceOf(profile table.Item) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, table.Text(profile, attrCreated))
	if err != nil {
		return at, table.Damaged(profile, err)
	}
	return at, nil
}
