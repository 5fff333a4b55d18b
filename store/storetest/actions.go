package storetest

import (
	"context"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/table"
)

// Actions returns a client that calls needs with each action of IAM that its calls need, such as
// dynamodb:Query, and on what: the "table", an "index", or the table of "columns". It is called from
// any goroutine.
func Actions(api table.API, needs func(action, with string)) *Calls {
	return &Calls{API: api, Do: func(ctx context.Context, in any, call Call) error {
		operation := strings.TrimSuffix(reflect.TypeOf(in).Elem().Name(), "Input")
		eachAction(operation, in, needs)
		_, err := call(ctx)
		return err
	}}
}

// eachAction calls needs with the actions of a call. A transaction needs the actions of its parts.
func eachAction(operation string, in any, needs func(action, with string)) {
	on := func(action, name string) {
		with := "table"
		if strings.HasSuffix(name, table.ColumnsName("")) {
			with = "columns"
		}
		needs("dynamodb:"+action, with)
	}
	switch in := in.(type) {
	case *dynamodb.BatchGetItemInput:
		for name := range in.RequestItems {
			on(operation, name)
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, item := range in.TransactItems {
			for kind, part := range reflect.ValueOf(item).Fields() {
				if part.Kind() == reflect.Pointer && !part.IsNil() {
					on(kind.Name+"Item", text(part, "TableName"))
				}
			}
		}
	default:
		if v := reflect.ValueOf(in); text(v, "IndexName") != "" {
			needs("dynamodb:"+operation, "index")
		} else {
			on(operation, text(v, "TableName"))
		}
	}
}

// text returns a text field of an input; empty if the input lacks the field.
func text(in reflect.Value, name string) string {
	if field := in.Elem().FieldByName(name); field.IsValid() && !field.IsNil() {
		return field.Elem().String()
	}
	return ""
}
