package resolvers

import (
	"context"
	"fmt"
	"time"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
	"product-comments/store/orders"
)

// Order resolves Query.order.
func (r query) Order(ctx context.Context, id string) (*model.Order, error) {
	orderID, err := parseID("id", id, globalid.Order)
	if err != nil {
		return nil, err
	}
	if access.From(ctx).Subject == "" { // authenticated users may have orders
		if err := r.authorize(ctx, access.SeeOrders, ""); err != nil {
			return nil, err
		}
	}
	return r.order(ctx, orderID)
}

// order reads an order; nil if there is none that the viewer may see, so that others do not learn
// whether it exists.
func (r *Resolver) order(ctx context.Context, id string) (*model.Order, error) {
	o, err := r.Store.OrderSeen(ctx, id, func(username string) bool {
		return r.Rules.May(access.From(ctx), access.SeeOrders, username) == access.Yes
	})
	if errs.CodeOf(err) == errs.NotFound {
		return nil, nil
	}
	return &model.Order{Order: o}, err
}

// OpenOrders resolves Query.openOrders.
func (r query) OpenOrders(ctx context.Context, in model.WindowArguments) (*model.OrderConnection, error) {
	if err := r.authorize(ctx, access.SeeOpenOrders, ""); err != nil {
		return nil, err
	}
	read := func(w orderWindow) (orders.Page, error) { return r.Store.Orders().Open(ctx, w) }
	return r.orders(ctx, orders.OpenScope, in, read)
}

type orderWindow = list.Window[key.Position]

// orders returns a connection of orders.
func (r *Resolver) orders(
	ctx context.Context, scope string, in model.WindowArguments, read func(orderWindow) (orders.Page, error),
) (*model.OrderConnection, error) {
	return connection(ctx, r, cursor.Orders, scope, nil, in,
		func(w orderWindow, cursorOf model.CursorOf[key.Position]) (*model.OrderConnection, error) {
			page, err := read(w)
			return model.NewOrderConnection(&page, cursorOf), err
		})
}

// Lines resolves Order.lines.
func (order) Lines(ctx context.Context, of *model.Order) (_ []model.OrderLine, err error) {
	lines := of.Order.Lines
	if lines == nil {
		lines, err = loadersOf(ctx).lines(ctx, of.Ref())
	}
	return model.MapList(lines, func(l *orders.Line) model.OrderLine {
		return model.OrderLine{Product: model.Product{ProductID: l.ProductID}, Quantity: l.Quantity, UnitPrice: l.Price}
	}), err
}

// RecordOrder resolves Mutation.recordOrder.
func (r mutation) RecordOrder(ctx context.Context, in model.RecordOrderInput) (*model.OrderPayload, error) {
	if err := r.authorize(ctx, access.RecordOrders, ""); err != nil {
		return nil, err
	}
	o, err := orderOf(&in)
	if err != nil {
		return nil, err
	}
	o, _, err = r.Store.RecordOrder(ctx, o)
	return &model.OrderPayload{Order: model.Order{Order: o}}, err
}

// orderOf converts the input. If an id is invalid it returns all errors of the input, because the
// store, which would report the others, is not called.
func orderOf(in *model.RecordOrderInput) (orders.Order, error) {
	id, wrongID := globalid.Parse("orderId", in.OrderID, globalid.Order)
	subject, wrongName := globalid.ParseOwn("subject", orZero(in.Subject), globalid.User)
	wrong := errs.Join(wrongID, wrongName)
	o := orders.Order{ID: id, Username: subject, Status: orders.Placed, Lines: make([]orders.Line, len(in.Lines)), Contact: in.Contact}
	if in.Status != nil {
		o.Status = *in.Status
	}
	for i, at := range []*time.Time{&in.PlacedAt, in.PaidAt, in.ShippedAt, in.DeliveredAt, in.ReturnedAt, in.CancelledAt} {
		if at != nil {
			o.Times[i] = *at
		}
	}
	for i, l := range in.Lines {
		product, err := globalid.Parse(fmt.Sprintf("lines.%d.productId", i), l.ProductID, globalid.Product)
		wrong = errs.Join(wrong, err)
		o.Lines[i] = orders.Line{ProductID: product, Quantity: l.Quantity, Price: l.UnitPrice}
	}
	if wrong != nil {
		return o, errs.Join(wrong, o.Validate())
	}
	return o, nil
}

// SetOrderStatus resolves Mutation.setOrderStatus.
func (r mutation) SetOrderStatus(ctx context.Context, in model.SetOrderStatusInput) (*model.OrderPayload, error) {
	if err := r.authorize(ctx, access.RecordOrders, ""); err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Order)
	if err != nil {
		return nil, errs.Join(err, item.ValidateTime("at", in.At))
	}
	o, err := r.Store.SetOrderStatus(ctx, id, in.Status, in.At)
	return &model.OrderPayload{Order: model.Order{Order: o}}, err
}
