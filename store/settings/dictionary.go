package settings

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/pack"
	"product-comments/store/reads"
	"product-comments/store/table"
)

// keptDictionaries is how many are kept ready for use. A table whose comments
// need more than that reads some again and again.
const keptDictionaries = 8

const dictionaryName = "dictionary-"

// Attributes of a dictionary's item, besides the dictionary itself.
const (
	attrMade    = "made"   // N, creation time in seconds since 1970; absent in old dictionaries
	attrPruned  = "pruned" // BOOL, in place of the dictionary
	attrShare   = "share"  // N, see Dictionary.Share
	shareDigits = 10_000   // by which it is multiplied
)

func dictionaryKey(version int) table.Item {
	return table.Key(key.Meta(dictionaryName + strconv.Itoa(version)))
}

// Dictionary is one that the table holds.
type Dictionary struct {
	*pack.Codec
	// Share is the compression ratio for comments like the training samples; 0 if not recorded.
	Share float64
}

// writing is which dictionary a process writes with.
type writing struct {
	begun   bool // the process has asked before
	version int
	coming  int       // the next one, which this process has heard of,
	since   time.Time // when
}

// Packer returns the codec that comments are written with, nil if they are to be
// plain. It returns an Unavailable error if the store does not answer.
func (s *Store) Packer(ctx context.Context) (*pack.Codec, error) {
	if s.plain {
		return nil, nil
	}
	known, err := s.Recent(ctx)
	if err != nil {
		return nil, err
	}
	version := s.packWith(known.Dictionary)
	if version == 0 {
		return nil, nil
	}
	return s.Codec(ctx, version)
}

// packWith returns which dictionary to write with, given the newest. A process
// that hears of a new one waits until others have heard of it, too, and have
// loaded it, so that no page has to wait for that.
func (s *Store) packWith(newest int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.writing
	switch now := s.t.Now(); {
	case newest <= w.version:
	case !w.begun:
		w.version = newest
	case newest != w.coming:
		w.coming, w.since = newest, now
	case now.Sub(w.since) >= s.SpreadTime() || now.Before(w.since): // a clock may be set back
		w.version = newest
	}
	w.begun = true
	return w.version
}

// SpreadTime is how long it takes until every process that calls
// KeepDictionaries has loaded a new dictionary.
func (s *Store) SpreadTime() time.Duration { return 3 * s.age }

// WriteWith makes this process write with a dictionary at once.
func (s *Store) WriteWith(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing.begun, s.writing.version = true, max(version, s.writing.version)
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
	d, err := s.Dictionary(ctx, version)
	return d.Codec, err
}

// Dictionary returns a dictionary of the table, with the errors of Codec.
func (s *Store) Dictionary(ctx context.Context, version int) (Dictionary, error) {
	if d, ok := s.dictionaries.Get(version); ok {
		return d, nil
	}
	d, err := reads.Once(ctx, &s.loading, version, func(ctx context.Context) (Dictionary, error) {
		it, err := s.t.Get(ctx, "the dictionary of texts", dictionaryKey(version))
		if err != nil {
			return Dictionary{}, err
		}
		dictionary := table.Bytes(it, attrDictionary)
		if table.IsTrue(it, attrPruned) {
			return Dictionary{}, errs.Wrap(errs.Internal, errPruned, "dictionary %d", version)
		}
		if dictionary == nil {
			return Dictionary{}, errs.Errorf(errs.Internal,
				"the table lacks dictionary %d, which some texts were compressed with", version)
		}
		share, err := table.Number(it, attrShare)
		if err != nil {
			return Dictionary{}, err
		}
		c, err := pack.New(dictionary)
		if err != nil {
			return Dictionary{}, table.Damaged(it, err)
		}
		d := Dictionary{c, float64(share) / shareDigits}
		s.dictionaries.Add(version, d)
		return d, nil
	})
	return d, table.Failed("read the dictionary of texts", err)
}

// LacksDictionary reports whether this process packs what it writes, and the table has no
// dictionary to do so yet. It returns an Unavailable error if the store does not answer.
func (s *Store) LacksDictionary(ctx context.Context) (bool, error) {
	if s.plain {
		return false, nil
	}
	now, err := s.Read(ctx)
	return now.Dictionary == 0, err
}

// LoadDictionaries loads the newest dictionaries, as many as are kept, unless
// they are already: a page that met one which is not would have to wait for it,
// at some forty read units. It returns an Unavailable error if the store does not
// answer. What comments were packed with one that is lost or damaged cannot be
// read; that is an Internal error, and the others are loaded.
func (s *Store) LoadDictionaries(ctx context.Context) error {
	known, err := s.Recent(ctx)
	if err != nil {
		return err
	}
	var lost error
	for version := max(1, known.Dictionary-keptDictionaries+1); version <= known.Dictionary; version++ {
		_, err := s.Dictionary(ctx, version)
		if errs.CodeOf(err) == errs.Unavailable {
			return err
		}
		if !errors.Is(err, errPruned) {
			lost = errors.Join(lost, err)
		}
	}
	return lost
}

// KeepDictionaries loads every new dictionary soon after it was made, until ctx
// ends. What cannot be loaded is tried again, and is loaded by the page that
// needs it at the latest.
func (s *Store) KeepDictionaries(ctx context.Context) {
	done := 0
	for table.Sleep(ctx, s.age) == nil {
		known, err := s.Recent(ctx)
		if err != nil || known.Dictionary <= done {
			continue
		}
		if _, err := s.Dictionary(ctx, known.Dictionary); errs.CodeOf(err) != errs.Unavailable {
			done = known.Dictionary // lost ones do not come back
		}
	}
}

// Whatever is AddDictionary's instead for a dictionary that takes the place of
// any other.
const Whatever = -1

// AddDictionary stores the next version of the dictionary, with which every process writes from
// then on, if the table's current version is still instead, or if instead is Whatever. make
// trains the dictionary of a version and returns its Share. Older dictionaries stay, for the
// texts compressed with them. AddDictionary returns the table's current dictionary, which is
// another one if another process was faster; the error of make, or Unavailable if the store
// does not answer.
func (s *Store) AddDictionary(ctx context.Context, instead int,
	make func(version int) ([]byte, float64, error)) (version int, err error) {
	known, err := s.Read(ctx)
	if err != nil {
		return 0, err
	}
	if instead != Whatever && known.Dictionary != instead {
		return known.Dictionary, nil
	}
	for version = known.Dictionary + 1; ; version++ {
		dictionary, share, err := make(version)
		if err != nil {
			return 0, err
		}
		it := dictionaryKey(version)
		it[attrDictionary], it[attrShare] = table.B(dictionary), table.N(int(math.Round(share*shareDigits)))
		it[attrMade] = table.N(int(s.t.Now().Unix()))
		err = s.t.Write(ctx, "keep the dictionary", table.Write{Put: it, If: table.Absent})
		if err == nil {
			break
		}
		if theirs, taken := table.IsRefused(err); !taken {
			return 0, err
		} else if string(table.Bytes(theirs, attrDictionary)) == string(dictionary) { // our own, whose answer was lost
			break
		}
		// A user trains, too, or was stopped half-way: take the next number.
	}
	now, err := s.Change(ctx, func(now *Settings) (bool, error) {
		newer := version > now.Dictionary && (instead == Whatever || now.Dictionary == instead)
		if newer {
			now.Dictionary = version
		}
		return newer, nil
	})
	return now.Dictionary, err
}
