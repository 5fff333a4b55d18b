package double

import (
	_ "embed" // the list of kinds
	"reflect"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// tokens matches the tokens of an expression other than names, values and commas.
var tokens = regexp.MustCompile(`attribute_not_exists|attribute_exists|\b(?:AND|OR|NOT|IN|BETWEEN|SET|REMOVE|ADD|DELETE|size|contains|begins_with|if_not_exists)\b|<>|<=|>=|[=<>+-]|[.\[]`)

//go:embed testdata/kinds.txt
var compared string

// Compared returns the kinds of calls that TestDifference compares with third-party engines. The
// store may make no other calls.
func Compared() []string { return strings.Split(strings.TrimSpace(compared), "\n") }

// kinds calls found with the kinds of a call, given its input: the operation with each field that
// is set, each operator in its expressions, and each kind of write in a transaction.
func kinds(operation string, in any, found func(kind string)) {
	v := reflect.Indirect(reflect.ValueOf(in))
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		if !v.Type().Field(i).IsExported() || f.IsZero() {
			continue
		}
		switch value := f.Interface().(type) {
		case *string:
			if !strings.HasSuffix(name, "Expression") {
				found(operation + " " + name)
				continue
			}
			for _, token := range tokens.FindAllString(*value, -1) {
				found(operation + " " + name + " " + token)
			}
		case *bool:
			found(operation + " " + name + " " + map[bool]string{true: "true", false: "false"}[*value])
		case types.ReturnValue, types.ReturnConsumedCapacity, types.ReturnValuesOnConditionCheckFailure, types.Select:
			found(operation + " " + name + " " + f.String())
		case []types.TransactWriteItem:
			for _, w := range value {
				for kind, part := range reflect.ValueOf(w).Fields() {
					if part.Kind() == reflect.Pointer && !part.IsNil() {
						kinds(operation+" "+kind.Name, part.Interface(), found)
					}
				}
			}
		case map[string]types.KeysAndAttributes:
			for _, of := range value {
				kinds(operation, of, found)
			}
		default:
			found(operation + " " + name)
		}
	}
}

// called passes the kinds of a call to Options.Kinds.
func called[In any](c *Client, in *In) {
	if c.db.o.Kinds == nil {
		return
	}
	operation := strings.TrimSuffix(reflect.TypeOf(*in).Name(), "Input")
	kinds(operation, in, c.db.o.Kinds)
}
