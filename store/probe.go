package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/key"
)

// attrProbe is what a probe carries.
const attrProbe = "probe" // S

// probeLife is for how long the table keeps a probe. Only its record in the
// stream matters.
const probeLife = time.Hour

// Probe writes an item that says nothing about comments, in place of the one
// written under the same name before. Who meets its record in the stream knows
// that all earlier records of the shard are behind. The names decide in which
// shards the records appear; there should be few of them, so that the table
// does not fill. It returns an Unavailable error if the store does not answer.
func (s *Store) Probe(ctx context.Context, name, mark string) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	it := primaryKey(key.Meta("probe-" + name))
	it[attrProbe], it[attrExpires] = str(mark), num(int(s.now().Add(probeLife).Unix()))
	_, err := s.api.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: it})
	return failed("write a probe", err)
}

// ProbeOf returns the mark of the probe whose writing a record tells, ok false
// for any other record. That a probe expired is none.
func ProbeOf(r Record) (mark string, ok bool) {
	mark = text(r.After, attrProbe)
	return mark, mark != ""
}
