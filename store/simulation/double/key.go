package double

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxPartitionKey = 2048 // bytes
	maxSortKey      = 1024
)

// attribute is one of a key.
type attribute struct {
	name string // empty for the sort key of a key without one
	kind string // S, N or B
}

// schema is the key of a table or an index.
type schema struct{ partition, sort attribute }

func schemaOf(elements []types.KeySchemaElement, definitions []types.AttributeDefinition) schema {
	kinds := map[string]string{}
	for _, d := range definitions {
		kinds[aws.ToString(d.AttributeName)] = string(d.AttributeType)
	}
	var s schema
	for _, e := range elements {
		a := attribute{aws.ToString(e.AttributeName), kinds[aws.ToString(e.AttributeName)]}
		if e.KeyType == types.KeyTypeHash {
			s.partition = a
		} else {
			s.sort = a
		}
	}
	return s
}

func (s schema) attributes() []attribute {
	if s.sort.name == "" {
		return []attribute{s.partition}
	}
	return []attribute{s.partition, s.sort}
}

func (s schema) has(name string) bool { return name == s.partition.name || name == s.sort.name }

// sortable spells a key attribute's value so that texts sort as values do.
func sortable(v value) string {
	switch v := v.(type) {
	case *text:
		return v.Value
	case *binary:
		return string(v.Value)
	case *number:
		d, _ := parseNumber(v.Value)
		return d.sortable()
	}
	return ""
}

// of returns the two parts of an item's key. ok is false if the item lacks one:
// an index does not have it then.
func (s schema) of(it item) (partition, sort string, ok bool) {
	for _, a := range s.attributes() {
		if it[a.name] == nil {
			return "", "", false
		}
	}
	if s.sort.name != "" {
		sort = sortable(it[s.sort.name])
	}
	return sortable(it[s.partition.name]), sort, true
}

// id joins a key's parts to a text that names an item.
func id(partition, sort string) string {
	return strconv.Itoa(len(partition)) + ":" + partition + sort
}

// check refuses key attributes that are empty, too long or of a wrong type. Those of an
// index may be missing.
func (s schema) check(it item, ofIndex bool) error {
	for _, a := range s.attributes() {
		v := it[a.name]
		switch {
		case v == nil && ofIndex:
			continue
		case v == nil:
			return invalid("One or more parameter values were invalid: Missing the key %s in the item", a.name)
		case typeOf(v) != a.kind:
			return invalid("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", a.name, a.kind, typeOf(v))
		case sortable(v) == "":
			return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", a.name)
		case a == s.partition && len(sortable(v)) > maxPartitionKey:
			return invalid("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes")
		case a == s.sort && len(sortable(v)) > maxSortKey:
			return invalid("One or more parameter values were invalid: Size of rangekey has exceeded the maximum size limit of1024 bytes")
		}
		if _, err := stored(v, 1); err != nil {
			return err
		}
	}
	return nil
}

// checkKey refuses anything but exactly a key.
func (s schema) checkKey(key item) error {
	if len(key) != len(s.attributes()) {
		return invalid("The provided key element does not match the schema")
	}
	for _, a := range s.attributes() {
		if v := key[a.name]; v == nil || typeOf(v) != a.kind {
			return invalid("The provided key element does not match the schema")
		}
	}
	return s.check(key, false)
}

// keyOf returns the attributes of a key, which an item has.
func (s schema) keyOf(it item) item {
	out := make(item, 2)
	for _, a := range s.attributes() {
		out[a.name] = it[a.name]
	}
	return out
}
