package embedded

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
	api "product-comments/store/table"
)

// QueryRows executes a query and passes the attributes in names of each item to the receiver in
// their stored form. Converting every attribute to a value of the SDK would double the time of the
// query.
func (e *Engine) QueryRows(ctx context.Context, in *dynamodb.QueryInput, names *api.Names,
	to api.Rows) (out api.DirectAnswer, err error) {
	p, err := e.find(ctx).Query(in)
	if err != nil {
		return out, e.answer("Query", err)
	}
	r, err := e.rowsOf(ctx, p)
	if err != nil {
		return out, e.answer("Query", err)
	}
	bytes := 0
	var refused error // by the receiver
	err = e.pool.read(ctx, func(c *conn) error {
		return r.each(c, func(stored []byte) (bool, error) {
			size, attributes, err := sizeOf(stored)
			if err != nil {
				return false, err
			}
			out.Evaluated++
			bytes += size
			passes := true
			if p.Filters() {
				it, err := decodeAttributes(attributes, 0, p.Tests)
				if err != nil {
					return false, err
				}
				passes = p.Passes(it)
			}
			if passes {
				if refused = pass(attributes, names, to); refused != nil {
					it, _ := decodeAttributes(attributes, 16, nil) // for the message alone
					refused = api.Damaged(it, refused)
					return false, nil
				}
			}
			if !p.Full(out.Evaluated, bytes) {
				return true, nil
			}
			key, err := decodeAttributes(attributes, 8, p.View.Identifies)
			if err == nil {
				out.Last = p.View.StartKey(key)
			}
			return false, err
		})
	})
	if refused != nil {
		return out, refused
	}
	out.Units = p.Units(bytes)
	return out, e.answer("Query", err)
}

// pass passes the attributes of an item to a receiver.
func pass(attributes string, names *api.Names, to api.Rows) error {
	err := eachAttribute(attributes, func(name string, kind byte, value string) error {
		switch {
		case !names.Has(name):
			return nil
		case kind == kindTrue:
			return to.Attribute(name, 'T', "true")
		case kind == kindFalse:
			return to.Attribute(name, 'T', "false")
		case kind == kindM:
			m, err := decodeAttributes(value, 0, nil)
			if err != nil {
				return err
			}
			of := dynamo.Item{name: &types.AttributeValueMemberM{Value: m}}
			return api.EachAttribute(of, names, to.Attribute)
		}
		return to.Attribute(name, kind, value)
	})
	if err != nil {
		return err
	}
	return to.EndItem()
}

var _ api.Direct = (*Engine)(nil)
