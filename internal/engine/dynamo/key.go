package dynamo

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key/sortable"
)

const (
	maxPartitionKey = 2048 // bytes
	maxSortKey      = 1024
)

// Attribute is a key attribute.
type Attribute struct {
	Name string // empty for the sort key of a key without one
	Kind string // S, N or B
}

// Schema is the key of a table or an index.
type Schema struct{ Partition, Sort Attribute }

func schemaOf(elements []types.KeySchemaElement, definitions []types.AttributeDefinition) Schema {
	kinds := map[string]string{}
	for _, d := range definitions {
		kinds[aws.ToString(d.AttributeName)] = string(d.AttributeType)
	}
	var s Schema
	for _, e := range elements {
		a := Attribute{aws.ToString(e.AttributeName), kinds[aws.ToString(e.AttributeName)]}
		if e.KeyType == types.KeyTypeHash {
			s.Partition = a
		} else {
			s.Sort = a
		}
	}
	return s
}

// Attributes returns the one or two attributes of the key.
func (s Schema) Attributes() []Attribute {
	if s.Sort.Name == "" {
		return []Attribute{s.Partition}
	}
	return []Attribute{s.Partition, s.Sort}
}

func (s Schema) has(name string) bool { return name == s.Partition.Name || name == s.Sort.Name }

// sortText returns a text, a number or a binary as a text. The texts have the order of the values.
func sortText(v Value) string {
	switch v := v.(type) {
	case *text:
		return v.Value
	case *binary:
		return string(v.Value)
	case *number:
		n, _ := ParseNumber(v.Value)
		return string(sortable.AppendNumber(nil, n))
	}
	return ""
}

// Of returns the two parts of an item's key in sortable form. ok is false if the item lacks a part;
// an index does not contain such an item.
func (s Schema) Of(it Item) (partition, sort string, ok bool) {
	for _, a := range s.Attributes() {
		if it[a.Name] == nil {
			return "", "", false
		}
	}
	if s.Sort.Name != "" {
		sort = sortText(it[s.Sort.Name])
	}
	return sortText(it[s.Partition.Name]), sort, true
}

// id joins the parts of an item's key to one text, different for different keys.
func (s Schema) id(it Item) string {
	partition, sort, _ := s.Of(it)
	return strconv.Itoa(len(partition)) + ":" + partition + sort
}

// check refuses key attributes that are empty, too long or of a wrong type. Key attributes of an
// index may be missing.
func (s Schema) check(it Item, ofIndex bool) error {
	for _, a := range s.Attributes() {
		v := it[a.Name]
		switch {
		case v == nil && ofIndex:
			continue
		case v == nil:
			return Invalid("One or more parameter values were invalid: Missing the key %s in the item", a.Name)
		case TypeOf(v) != a.Kind:
			return Invalid("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", a.Name, a.Kind, TypeOf(v))
		case sortText(v) == "":
			return Invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", a.Name)
		case a == s.Partition && len(sortText(v)) > maxPartitionKey:
			return Invalid("One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes")
		case a == s.Sort && len(sortText(v)) > maxSortKey:
			return Invalid("One or more parameter values were invalid: Size of rangekey has exceeded the maximum size limit of1024 bytes")
		}
		if _, err := stored(v, 1); err != nil {
			return err
		}
	}
	return nil
}

// checkKey refuses an item that has more or fewer attributes than the key.
func (s Schema) checkKey(key Item) error {
	if len(key) != len(s.Attributes()) {
		return Invalid("The provided key element does not match the schema")
	}
	for _, a := range s.Attributes() {
		if v := key[a.Name]; v == nil || TypeOf(v) != a.Kind {
			return Invalid("The provided key element does not match the schema")
		}
	}
	return s.check(key, false)
}

// KeyOf returns the key attributes of an item that has them.
func (s Schema) KeyOf(it Item) Item {
	out := make(Item, 2)
	for _, a := range s.Attributes() {
		out[a.Name] = it[a.Name]
	}
	return out
}
