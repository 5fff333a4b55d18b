package orders

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Orders are those of a table. They are safe for concurrent use.
type Orders struct {
	index.Idle
	t *table.Table
}

// New returns the orders of a table.
func New(t *table.Table) *Orders { return &Orders{t: t} }

// Get reads an order with its lines (A3): as their index has them, or where that does
// not have all of them yet, the table, strongly consistent. It returns NotFound if
// there is no such order, and Unavailable if the store does not answer.
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
	found, err := o.standing(ctx, id)
	if err == nil && found.revision == 0 {
		err = NotFound(id)
	}
	return found, err
}

// standings is how often an order is read that is not whole. What makes that is a
// transaction which is being applied, and that takes moments.
const standings = 10

// standing reads an order with its lines from the table, strongly consistent. One that
// is not there has no revision. A read of several items may come in the middle of a
// transaction that writes them, or that makes the order another's; then it reads again.
func (o *Orders) standing(ctx context.Context, id string) (Order, error) {
	pause := o.t.NewRace()
	for range standings {
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
	return Order{}, table.Damaged(lineKey(id, 0), errs.Errorf(errs.Internal, "the order's head or some of its lines are missing"))
}

// complete reports whether rows are all the lines of an order that has so many.
func complete(rows []row, lines int) bool {
	return len(rows) == lines && !slices.ContainsFunc(rows, func(r row) bool { return !r.isLine() })
}

// orderOf returns the order of an item, without its lines.
func orderOf(it table.Item) (Order, error) {
	r, err := rowOf(it)
	if err != nil {
		return Order{}, err
	}
	return r.order()
}

// Each calls each with every order of the table, with its lines, in no order, one after
// the other. It returns the first error of each, or an Unavailable error if the store does
// not answer. Orders are found by their first lines, which stay where they are: so one
// that an erasure takes elsewhere in the meantime is there once, like all others.
func (o *Orders) Each(ctx context.Context, how table.ScanOptions, each func(*Order) error) error {
	var mu sync.Mutex
	return o.t.NewScanner(how).Run(table.Patiently(ctx), func(ctx context.Context, it table.Item) error {
		id, isLine := key.OrderID(table.Text(it, key.PK))
		if !isLine || table.Text(it, key.SK) != key.Line(1) {
			return nil
		}
		found, err := o.standing(ctx, id)
		if err != nil || found.revision == 0 {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return each(&found)
	})
}

// Whole returns the order of an item that was read, with its lines. It returns an
// Unavailable error if these could not be read.
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

// linesIn is the partition of the table that holds an order's lines.
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

// query reads a whole partition, whose items are few.
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

// lineReaders is of how many orders lines are read at once.
const lineReaders = 8

// Ref names an order whose lines are wanted.
type Ref struct {
	ID    string
	lines int // how many there are, as the order said
}

// Ref returns the order's reference.
func (o *Order) Ref() Ref { return Ref{o.ID, o.lines} }

// Lines reads the lines of orders, in the order of the references: 0.5 read units for an
// order of about thirty lines, more while the order is new. It returns an Unavailable
// error if some could not be read.
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
			if !complete(rows, ref.lines) { // the replica that answered is behind
				now, err := o.standing(ctx, ref.ID)
				out[i] = now.Lines
				return err
			}
			out[i], err = linesOf(rows)
			return err
		})
	}
	return out, group.Wait()
}

// User is a person of whom something is stored: an order, or a comment of theirs.
type User struct {
	Name    string
	Created time.Time // when their first order was placed; zero if there is none
}

// Users reads who some different people are, in their order, nil where nothing is kept
// about a user (A1): a read unit each. It returns an Unavailable error if not all could
// be read.
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

// hasItems reports whether anything is kept about a user who never ordered.
func (o *Orders) hasItems(ctx context.Context, username string) (bool, error) {
	items, _, err := o.t.Query(ctx, table.Query{Partition: key.Partition{Index: key.Table, Value: key.User(username)}, Limit: 1, Consistent: true})
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
