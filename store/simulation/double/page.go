package double

import (
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// pageRequest is what queries and scans have in common.
type pageRequest struct {
	*request
	v          *view
	limit      int // 0 for none
	filter     condition
	filtered   []path // what the filter is about
	paths      []path
	count      bool // only the number is wanted
	consistent bool
}

// page is one answer of a query or scan.
type page struct {
	items            []map[string]types.AttributeValue
	count, scanned   int32
	lastEvaluatedKey item
	units            float64
}

// read goes through entries until the page is full: by the limit, or by size.
func (r *pageRequest) read(entries iter.Seq[entry]) page {
	var out page
	bytes := 0
	for e := range entries {
		out.scanned++
		bytes += e.size
		if r.met(r.filter, e.item) {
			out.count++
			if !r.count {
				out.items = append(out.items, given(projected(e.item, r.paths)))
			}
		}
		if int(out.scanned) == r.limit || bytes > maxPage {
			out.lastEvaluatedKey = r.v.position(e.item)
			break
		}
	}
	if out.items == nil && !r.count {
		out.items = []map[string]types.AttributeValue{}
	}
	out.units = readUnits(bytes, r.consistent)
	return out
}

// position returns what names an item's place in the view: its key there, and
// its key in the table.
func (v *view) position(it item) item {
	out := v.key.keyOf(it)
	for name, value := range v.table.keyOf(it) {
		out[name] = value
	}
	return out
}

// start reads an ExclusiveStartKey, which need not be of an item that exists.
func (v *view) start(key item) (*place, error) {
	if key == nil {
		return nil, nil
	}
	names := map[string]bool{}
	for _, s := range []schema{v.key, v.table} {
		for _, a := range s.attributes() {
			names[a.name] = true
			if typeOf(key[a.name]) != a.kind || sortable(key[a.name]) == "" {
				return nil, invalid("The provided starting key is invalid: The provided key element does not match the schema")
			}
		}
	}
	if len(names) != len(key) {
		return nil, invalid("The provided starting key is invalid: The provided key element does not match the schema")
	}
	partition, sort, _ := v.key.of(key)
	tablePartition, tableSort, _ := v.table.of(key)
	return &place{partition, entry{sort: sort, id: id(tablePartition, tableSort)}}, nil
}

// pageRequest checks what queries and scans have in common.
func (s *setting) pageRequest(table, index *string, limit *int32, consistent *bool, sel types.Select, filter, paths *string, r *request) (*pageRequest, error) {
	t, err := s.table(table, s.now)
	if err != nil {
		return nil, err
	}
	out := &pageRequest{request: r, limit: int(aws.ToInt32(limit)), consistent: aws.ToBool(consistent), count: sel == types.SelectCount}
	if out.filter = r.condition(filterKind, filter); out.filter != nil {
		out.filtered = r.expression(filterKind, filter).roots
	}
	out.paths = r.projection(paths)
	if limit != nil && *limit < 1 {
		return nil, invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", *limit)
	}
	if index == nil {
		out.v = t.seen(out.consistent, s)
		return out, nil
	}
	v := t.indexes[*index]
	if v == nil {
		return nil, invalid("The table does not have the specified index: %s", *index)
	}
	if out.consistent {
		return nil, invalid("Consistent reads are not supported on global secondary indexes")
	}
	out.v = see(v, s.now)
	return out, nil
}

// visible refuses paths that an index does not have.
func (r *pageRequest) visible(paths []path) error {
	if r.v.keeps == nil {
		return nil
	}
	for _, p := range paths {
		if name := p.resolved(r.bindings); !r.v.keeps(name) {
			return invalid("One or more parameter values were invalid: Global secondary index %s does not project [%s]", r.v.name, name)
		}
	}
	return nil
}
