package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/pack"
)

// attrWords holds author, title and text of a comment as one frame of package
// pack, B, in place of the three attributes.
const attrWords = "z"

// wordAttributes are those that hold what a comment says.
var wordAttributes = []string{attrAuthor, attrTitle, attrText, attrLongText, attrTextBytes, attrWords}

// packWords puts what a comment says into one attribute, if that is smaller.
// The codec is nil if the table has no dictionary.
func packWords(it item, c *Comment, codec *pack.Codec) {
	if codec == nil || len(c.Text) > InlineText {
		return
	}
	plain := 0
	for _, name := range []string{attrAuthor, attrTitle, attrText} {
		if v := it[name]; v != nil {
			plain += sizeOf(name, v)
		}
	}
	if plain == 0 {
		return
	}
	frame := &types.AttributeValueMemberB{Value: codec.Pack(c.says())}
	if sizeOf(attrWords, frame) >= plain {
		return
	}
	delete(it, attrAuthor)
	delete(it, attrTitle)
	delete(it, attrText)
	it[attrWords] = frame
}

// storedForm returns how a comment is stored: as itemOf spells it, but with
// its words in the attributes that hold them in the stored item.
func storedForm(c *Comment, stored item) item {
	it := itemOf(c, nil)
	for _, name := range wordAttributes {
		delete(it, name)
		if v, ok := stored[name]; ok {
			it[name] = v
		}
	}
	return it
}

// comment reads an item of the table, or of an index in which the product is
// the one asked for, with its words.
func (s *Store) comment(ctx context.Context, it item, productID string) (Comment, error) {
	c, err := commentOf(it, productID)
	if err != nil {
		return c, damagedItem(it, err)
	}
	c.size = 0 // of no interest to those who want the whole comment
	return c, s.unpack(ctx, &c)
}

// unpack gives a comment its words.
func (s *Store) unpack(ctx context.Context, c *Comment) error {
	if c.packed == "" {
		return nil
	}
	version, err := pack.VersionOf(c.packed)
	if err != nil {
		return damaged(key.Comment(c.ID), err)
	}
	codec, err := s.codec(ctx, version)
	if err != nil {
		return err
	}
	words, err := codec.Unpack(c.packed)
	if err != nil {
		return damaged(key.Comment(c.ID), err)
	}
	c.Author, c.Title, c.Text, c.packed = words.Author, words.Title, words.Text, ""
	return nil
}

// packer returns the codec that comments are written with, nil if the table has
// no dictionary.
func (s *Store) packer(ctx context.Context) (*pack.Codec, error) {
	meta, err := s.recentMeta(ctx)
	if err != nil || meta.Dictionary == 0 {
		return nil, err
	}
	return s.codec(ctx, meta.Dictionary)
}

// codecs is how many dictionaries are kept ready for use. A table whose
// comments need more than that reads some again and again.
const codecs = 8

// attrDictionary holds a dictionary, B; in Meta's item the version in use, N.
const attrDictionary = "dictionary"

func dictionaryKey(version int) item {
	return primaryKey(key.Meta(fmt.Sprintf("dictionary-%d", version)))
}

// codec returns the codec of a dictionary of the table.
func (s *Store) codec(ctx context.Context, version int) (*pack.Codec, error) {
	if c, ok := s.codecs.Get(version); ok {
		return c, nil
	}
	c, err := once(ctx, &s.readingCodecs, version, func(ctx context.Context) (*pack.Codec, error) {
		ctx, cancel := s.deadline(ctx)
		defer cancel()
		out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: dictionaryKey(version), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
		if err != nil {
			return nil, failed("read the dictionary of texts", err)
		}
		meterCall(ctx, out.ConsumedCapacity)
		dictionary, _ := out.Item[attrDictionary].(*types.AttributeValueMemberB)
		if dictionary == nil {
			return nil, errs.Errorf(errs.Internal, "the table lacks the dictionary %d, which some texts were packed with", version)
		}
		c, err := pack.New(dictionary.Value)
		if err != nil {
			return nil, damaged(text(dictionaryKey(version), key.PK), err)
		}
		s.codecs.Add(version, c)
		return c, nil
	})
	return c, failed("read the dictionary of texts", err)
}

// TrainTexts makes a dictionary from comments as they are in the shop, keeps
// it in the table, and lets every server write with it from now on: they know
// of it within their MetaAge. Older dictionaries stay, for what was packed with
// them. It returns the dictionary's version, or an Unavailable error if the
// store does not answer.
func (s *Store) TrainTexts(ctx context.Context, samples []pack.Words) (version int, err error) {
	meta, err := s.Meta(ctx)
	if err != nil {
		return 0, err
	}
	for version = meta.Dictionary + 1; ; version++ {
		dictionary, err := pack.Train(version, samples)
		if err != nil {
			return 0, err
		}
		it := dictionaryKey(version)
		it[attrDictionary] = &types.AttributeValueMemberB{Value: dictionary}
		err = s.putMeta(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: it, ConditionExpression: aws.String(absent)})
		if err == nil {
			break
		}
		if _, taken := conditionFailed(err); !taken { // somebody trains, too, or was stopped half-way
			return 0, failed("keep the dictionary", err)
		}
	}
	_, err = s.ChangeMeta(ctx, func(m *Meta) (bool, error) {
		newer := version > m.Dictionary
		m.Dictionary = max(m.Dictionary, version)
		return newer, nil
	})
	return version, err
}

// errEnough ends a scan that has what it wants.
var errEnough = errors.New("enough")

// SampleTexts returns what some comments say, at most n, from all over the
// table: a scan goes by the hash of their ids. It reads at most so many
// capacity units a second, without bound if the rate is 0.
func (s *Store) SampleTexts(ctx context.Context, n int, rate float64) ([]pack.Words, error) {
	taken := make(chan pack.Words, n)
	err := newScanner(s, rate, nil).run(ctx, func(ctx context.Context, it item) error {
		if _, ok := key.CommentID(text(it, key.PK)); !ok {
			return nil
		}
		c, err := s.comment(ctx, it, "")
		if err != nil || c.Text == "" {
			return err
		}
		select {
		case taken <- c.says():
			return nil
		default:
			return errEnough
		}
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	close(taken)
	samples := make([]pack.Words, 0, len(taken))
	for w := range taken {
		samples = append(samples, w)
	}
	return samples, nil
}

// PackOptions say how texts are packed.
type PackOptions struct {
	Rate     float64           // most capacity units a second; 0 is without bound
	Progress func(items int64) // is told now and then how many were looked at; may be nil
}

// PackTexts packs what was written before there was a dictionary, or with an
// older one, while reads and writes go on. What was packed already is passed
// over, so it can be stopped and run again. It returns how many comments it
// wrote, or an Unavailable error if the store does not answer.
func (s *Store) PackTexts(ctx context.Context, o PackOptions) (packed int64, err error) {
	codec, err := s.packer(ctx)
	if err != nil {
		return 0, err
	}
	if codec == nil {
		return 0, errs.Errorf(errs.NotFound, "The table has no dictionary yet: train one first")
	}
	var wrote atomic.Int64
	sc := newScanner(s, o.Rate, o.Progress)
	err = sc.run(ctx, func(ctx context.Context, it item) error {
		if _, ok := key.CommentID(text(it, key.PK)); !ok {
			return nil
		}
		changed, err := s.packStored(ctx, it, codec, sc)
		if changed {
			wrote.Add(1)
		}
		return err
	})
	return wrote.Load(), err
}

// packStored packs a stored comment, unless it is already or was changed since,
// which packs it too.
func (s *Store) packStored(ctx context.Context, stored item, codec *pack.Codec, sc *scanner) (wrote bool, err error) {
	c, err := commentOf(stored, "")
	if err != nil {
		return false, damagedItem(stored, err)
	}
	if c.packed != "" {
		if version, err := pack.VersionOf(c.packed); err == nil && version == codec.Version() {
			return false, nil
		}
	}
	if err := s.unpack(ctx, &c); err != nil {
		return false, err
	}
	before, want := storedForm(&c, stored), itemOf(&c, codec)
	if sameItem(before, want) {
		return false, nil
	}
	if err := sc.spend(ctx, 1); err != nil {
		return false, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err = s.api.UpdateItem(ctx, s.updateInput(stored, before, want))
	if _, changed := conditionFailed(err); changed {
		return false, nil
	}
	return err == nil, failed("pack a text", err)
}
