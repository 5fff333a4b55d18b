package settings

import (
	"context"
	"strconv"
	"strings"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/reads"
	"product-comments/store/table"
)

// keptCodecs is how many dictionaries are kept ready for use. A table whose
// comments need more than that reads some again and again.
const keptCodecs = 8

const dictionaryName = "dictionary-"

func dictionaryKey(version int) table.Item {
	return table.Key(key.Meta(dictionaryName + strconv.Itoa(version)))
}

// IsDictionary tells whether an item with this partition key holds a dictionary.
func IsDictionary(pk string) bool { return strings.HasPrefix(pk, key.Meta(dictionaryName)) }

// Packer returns the codec that comments are written with, nil if the table has
// no dictionary. It returns an Unavailable error if the store does not answer.
func (s *Store) Packer(ctx context.Context) (*pack.Codec, error) {
	known, err := s.Recent(ctx)
	if err != nil || known.Dictionary == 0 {
		return nil, err
	}
	return s.Codec(ctx, known.Dictionary)
}

// CodecOf returns the codec that a frame needs. It returns an Internal error if
// the frame is damaged, and Unavailable if the store does not answer.
func (s *Store) CodecOf(ctx context.Context, frame string) (*pack.Codec, error) {
	version, err := pack.VersionOf(frame)
	if err != nil {
		return nil, errs.Wrap(errs.Internal, err, "a packed text")
	}
	return s.Codec(ctx, version)
}

// Codec returns the codec of a dictionary of the table. It returns an Internal
// error if the table lacks it, and Unavailable if the store does not answer.
func (s *Store) Codec(ctx context.Context, version int) (*pack.Codec, error) {
	if c, ok := s.codecs.Get(version); ok {
		return c, nil
	}
	c, err := reads.Once(ctx, &s.readingCodecs, version, func(ctx context.Context) (*pack.Codec, error) {
		it, err := s.t.Get(ctx, "the dictionary of texts", dictionaryKey(version))
		if err != nil {
			return nil, err
		}
		dictionary := table.Bytes(it, attrDictionary)
		if dictionary == nil {
			return nil, errs.Errorf(errs.Internal, "the table lacks the dictionary %d, which some texts were packed with", version)
		}
		c, err := pack.New(dictionary)
		if err != nil {
			return nil, table.Damaged(it, err)
		}
		s.codecs.Add(version, c)
		return c, nil
	})
	return c, table.Failed("read the dictionary of texts", err)
}

// AddDictionary keeps the next version of the dictionary in the table, and lets
// every process write with it from now on: they know of it within their Age.
// make is given the version. Older dictionaries stay, for what was packed with
// them. It returns make's error, or Unavailable if the store does not answer.
func (s *Store) AddDictionary(ctx context.Context, make func(version int) ([]byte, error)) (version int, err error) {
	known, err := s.Read(ctx)
	if err != nil {
		return 0, err
	}
	for version = known.Dictionary + 1; ; version++ {
		dictionary, err := make(version)
		if err != nil {
			return 0, err
		}
		it := dictionaryKey(version)
		it[attrDictionary] = table.B(dictionary)
		err = s.t.Write(ctx, "keep the dictionary", table.Write{Put: it, If: table.Absent})
		if err == nil {
			break
		}
		if theirs, taken := table.IsRefused(err); !taken {
			return 0, err
		} else if string(table.Bytes(theirs, attrDictionary)) == string(dictionary) { // our own, whose answer was lost
			break
		}
		// Somebody trains, too, or was stopped half-way: take the next number.
	}
	_, err = s.Change(ctx, func(now *Settings) (bool, error) {
		newer := version > now.Dictionary
		now.Dictionary = max(now.Dictionary, version)
		return newer, nil
	})
	return version, err
}
