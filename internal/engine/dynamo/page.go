package dynamo

import (
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Page is a query or a scan with a checked request.
type Page struct {
	*request
	Table      *Table
	View       *View     // what is read
	After      *Position // the page begins after it; nil for the first page
	Limit      int       // items to evaluate; 0 for no limit
	Consistent bool
	// Of a query: the partition with the sort keys, and the direction.
	Keys    Keys
	Forward bool
	// Of a scan: one of a number of segments.
	Segment, Segments int

	filter   condition
	filtered []path // what the filter is about
	paths    []path
	count    bool // only the number is wanted
	cost     types.ReturnConsumedCapacity
}

// Entry is an item as a view shows it.
type Entry struct {
	Item Item
	Size int // bytes
}

// Answer is the result of a query or a scan.
type Answer struct {
	Items            []Item
	Count, Scanned   int32
	LastEvaluatedKey Item
	ConsumedCapacity *types.ConsumedCapacity
}

// Full reports whether the page ends after the given numbers of scanned items and bytes.
func (p *Page) Full(scanned, bytes int) bool { return scanned == p.Limit || bytes > MaxPage }

// Filters reports whether the page has a filter.
func (p *Page) Filters() bool { return p.filter != nil }

// Tests reports whether the filter is about an attribute.
func (p *Page) Tests(name string) bool {
	return slices.ContainsFunc(p.filtered, func(of path) bool { return of.resolved(p.bindings) == name })
}

// Passes reports whether an item, or its attributes that the filter is about, passes the filter.
func (p *Page) Passes(it Item) bool { return p.met(p.filter, it) }

// Units returns the read units for a number of bytes.
func (p *Page) Units(bytes int) float64 { return readUnits(bytes, p.Consistent) }

// Read reads entries until the page is full. It returns the first error of entries.
func (p *Page) Read(entries iter.Seq2[Entry, error]) (out Answer, err error) {
	bytes := 0
	for e, err := range entries {
		if err != nil {
			return out, err
		}
		out.Scanned++
		bytes += e.Size
		if p.Passes(e.Item) {
			out.Count++
			if !p.count {
				out.Items = append(out.Items, projected(e.Item, p.paths))
			}
		}
		if p.Full(int(out.Scanned), bytes) {
			out.LastEvaluatedKey = p.View.StartKey(e.Item)
			break
		}
	}
	if out.Items == nil && !p.count {
		out.Items = []Item{}
	}
	out.ConsumedCapacity = Consumed(p.cost, p.Table.Name, Units{All: p.Units(bytes)})
	return out, nil
}

// start parses an ExclusiveStartKey. The item that it names need not exist.
func (v *View) start(key Item) (*Position, error) {
	if key == nil {
		return nil, nil
	}
	names := map[string]bool{}
	for _, s := range []Schema{v.Key, v.table} {
		for _, a := range s.Attributes() {
			names[a.Name] = true
			if TypeOf(key[a.Name]) != a.Kind || sortText(key[a.Name]) == "" {
				return nil, errStart
			}
		}
	}
	if len(names) != len(key) {
		return nil, errStart
	}
	position, _ := v.Position(key)
	return &position, nil
}

var errStart = Invalid("The provided starting key is invalid: The provided key element does not match the schema")

// page checks the parameters that queries and scans share, given as a query.
func (find Tables) page(in *dynamodb.QueryInput) (*Page, error) {
	t, err := find.table(in.TableName)
	if err != nil {
		return nil, err
	}
	r := newRequest(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	p := &Page{
		request: r, Table: t, View: t.Base, Limit: int(aws.ToInt32(in.Limit)),
		Consistent: aws.ToBool(in.ConsistentRead), Segments: 1,
		count: in.Select == types.SelectCount, cost: in.ReturnConsumedCapacity,
	}
	if p.filter = r.condition(filterKind, in.FilterExpression); p.filter != nil {
		p.filtered = r.expression(filterKind, in.FilterExpression).roots
	}
	p.paths = r.projection(in.ProjectionExpression)
	if in.Limit != nil && *in.Limit < 1 {
		return nil, Invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: "+
			"Member must have value greater than or equal to 1", *in.Limit)
	}
	if in.IndexName == nil {
		return p, nil
	}
	if p.View = t.Index(*in.IndexName); p.View == nil {
		return nil, Invalid("The table does not have the specified index: %s", *in.IndexName)
	}
	if p.Consistent {
		return nil, Invalid("Consistent reads are not supported on global secondary indexes")
	}
	return p, nil
}

// visible refuses paths that an index does not project.
func (p *Page) visible(paths []path) error {
	if p.View.keeps == nil {
		return nil
	}
	for _, path := range paths {
		if name := path.resolved(p.bindings); !p.View.keeps[name] {
			return Invalid("One or more parameter values were invalid: "+
				"Global secondary index %s does not project [%s]", p.View.Name, name)
		}
	}
	return nil
}

// Query checks a Query and returns its page, or an Invalid or NotFound error.
func (find Tables) Query(in *dynamodb.QueryInput) (*Page, error) {
	p, err := find.page(in)
	if err != nil {
		return nil, err
	}
	keyCondition := p.condition(keyConditionKind, in.KeyConditionExpression)
	if err := p.done(); err != nil {
		return nil, err
	}
	if keyCondition == nil {
		return nil, Invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	if p.Keys, err = p.View.Key.keys(p.bindings, keyCondition); err != nil {
		return nil, err
	}
	for _, path := range p.filtered { // the key is the key condition's
		if name := path.resolved(p.bindings); p.View.Key.has(name) {
			return nil, Invalid("Filter Expression can only contain non-primary key attributes: "+
				"Primary key attribute: %s", name)
		}
	}
	if err := p.visible(slices.Concat(p.paths, p.filtered)); err != nil {
		return nil, err
	}
	if p.After, err = p.View.start(in.ExclusiveStartKey); err != nil {
		return nil, err
	}
	if p.After != nil && (p.After.Partition != p.Keys.Partition || !p.Keys.has(p.After.Sort)) {
		return nil, Invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	p.Forward = in.ScanIndexForward == nil || *in.ScanIndexForward
	return p, nil
}

// Scan checks a Scan and returns its page, or an Invalid or NotFound error.
func (find Tables) Scan(in *dynamodb.ScanInput) (*Page, error) {
	p, err := find.page(&dynamodb.QueryInput{
		TableName: in.TableName, IndexName: in.IndexName, Limit: in.Limit, ConsistentRead: in.ConsistentRead,
		Select: in.Select, FilterExpression: in.FilterExpression, ProjectionExpression: in.ProjectionExpression,
		ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
		ReturnConsumedCapacity: in.ReturnConsumedCapacity,
	})
	if err != nil {
		return nil, err
	}
	if err := p.done(); err != nil {
		return nil, err
	}
	if err := p.visible(p.paths); err != nil {
		return nil, err
	}
	if in.Segment != nil || in.TotalSegments != nil {
		if in.Segment == nil || in.TotalSegments == nil || *in.Segment < 0 || *in.Segment >= *in.TotalSegments {
			return nil, Invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: "+
				"Segment: %d is not less than TotalSegments: %d", aws.ToInt32(in.Segment), aws.ToInt32(in.TotalSegments))
		}
		p.Segment, p.Segments = int(*in.Segment), int(*in.TotalSegments)
	}
	p.After, err = p.View.start(in.ExclusiveStartKey)
	return p, err
}

// OtherSegment returns the error of a scan that begins at an item of another segment.
func (p *Page) OtherSegment() error {
	return Invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. "+
		"Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d", p.Segments, p.Segment)
}
