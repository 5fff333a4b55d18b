package packing_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/pack"
	"product-comments/store/packing"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	"product-comments/store/stream"
)

// shop is a table in memory, under a virtual clock.
type shop struct {
	*testing.T
	db  *double.DB
	log testkit.Buffer // of all processes
}

// open begins a shop in a bubble of its own.
func open(t *testing.T, play func(*shop)) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{T: t, db: double.New(double.Options{Seed: 1, Shards: 1})}
		testkit.Must(t, s.server("founder").EnsureTable(t.Context(), true))
		play(s)
	})
}

// server is a process that does not project.
func (s *shop) server(name string) *store.Store { return s.with(name, store.Options{}) }

func (s *shop) with(name string, o store.Options) *store.Store {
	client := s.db.Client(name)
	client.Set(faults.Rates{Latency: time.Millisecond})
	return store.New(client, "comments", o)
}

// projector starts a process that projects, and packs 200 units a second.
func (s *shop) projector(name string) (stop func()) { return s.projectorOff(name, 0) }

// projectorOff starts a projector whose clock is off.
func (s *shop) projectorOff(name string, off time.Duration) (stop func()) {
	o := packing.Options{Enough: 200, Fresh: 200, Rate: 200, Log: slog.New(slog.NewTextHandler(&s.log, nil))}
	client := s.db.Client(name)
	client.Set(faults.Rates{Latency: time.Millisecond})
	c := stream.New(client, store.New(client, "comments", store.Options{Packing: &o, Now: func() time.Time { return time.Now().Add(off) }}).Projector(), stream.Options{})
	ctx, cancel := context.WithCancel(s.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	return func() { cancel(); running.Wait() }
}

// write imports comments from one number to another, in the words of a language.
func (s *shop) write(by *store.Store, words []string, from, to int) {
	s.Helper()
	var list []store.Comment
	for i := from; i < to; i++ {
		list = append(list, store.Comment{
			ID: fmt.Sprintf("c%05d", i), ProductID: fmt.Sprint(i % 3), Rating: 1 + i%5, Language: "en", CreatedAt: time.Unix(int64(i), 0),
			Author: fmt.Sprintf("Ada %c.", 'A'+i%26), Title: words[i%len(words)],
			Text: fmt.Sprintf("%s, %s and %s after %d days. %s.", words[i*7%len(words)], words[i*5%len(words)], words[(i*3+1)%len(words)], i, words[(i*11+2)%len(words)]),
		})
	}
	if _, err := by.Import(s.Context(), list); err != nil {
		s.Fatal(err)
	}
}

var (
	english = strings.Split("The strap is soft|The zip runs smoothly|It came a day early|The colour is nicer than in the picture|It holds a laptop and lunch|After a year it looks new|I can recommend it|My daughter wants one", "|")
	finnish = strings.Split("Hihna on pehmeä ja leveä|Vetoketju toimii erittäin hyvin|Se saapui päivän etuajassa|Väri on kauniimpi kuin kuvassa|Siihen mahtuu kannettava tietokone|Vuoden jälkeen se näyttää uudelta|Voin suositella sitä kaikille|Tyttärenikin haluaa sellaisen", "|")
)

// versions counts comments by the dictionary that they are packed with, 0 is plain.
func (s *shop) versions() map[int]int {
	s.Helper()
	out := map[int]int{}
	for _, it := range s.db.Items() {
		pk, _ := it[key.PK].(*types.AttributeValueMemberS)
		if _, ok := key.CommentID(pk.Value); !ok {
			continue
		}
		version := 0
		if frame, ok := it["z"].(*types.AttributeValueMemberB); ok {
			var err error
			if version, err = pack.VersionOf(string(frame.Value)); err != nil {
				s.Fatal(err)
			}
		}
		out[version]++
	}
	return out
}

// items counts items whose key begins with something.
func (s *shop) items(prefix string) (n int) {
	for _, it := range s.db.Items() {
		if pk, _ := it[key.PK].(*types.AttributeValueMemberS); strings.HasPrefix(pk.Value, prefix) {
			n++
		}
	}
	return n
}

func (s *shop) wantVersions(want map[int]int) {
	s.Helper()
	if got := s.versions(); fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("comments by dictionary: %v, want %v\n%s", got, want, s.log.String())
	}
}

func (s *shop) dictionary() int {
	s.Helper()
	now, err := s.server("asker").Settings().Read(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return now.Dictionary
}

// A projector trains as soon as there are enough texts, and what was there before
// follows, at a bounded rate.
func TestProjectorPacks(t *testing.T) {
	open(t, func(s *shop) {
		server := s.server("server")
		s.write(server, english, 0, 150)
		defer s.projector("one")()
		time.Sleep(2 * time.Minute)
		testkit.Check(t, s.dictionary() == 0, "150 texts were enough")
		s.write(server, english, 150, 300)
		time.Sleep(30 * time.Second)
		testkit.Check(t, s.dictionary() == 0, "150 more were enough, before the next look")
		s.write(server, english, 300, 400)
		began := time.Now()
		for s.dictionary() == 0 && time.Since(began) < time.Minute {
			time.Sleep(time.Second)
		}
		s.write(server, english, 400, 410) // by a server that hears of it, and waits for the others
		s.wantVersions(map[int]int{0: 410})
		for began := time.Now(); s.versions()[1] == 0 && time.Since(began) < time.Minute; {
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		if some := s.versions(); some[1] == 0 || some[1] > 200 { // at most 40 a second
			t.Errorf("packing is not bounded: comments by dictionary %v", some)
		}
		time.Sleep(time.Minute)
		s.wantVersions(map[int]int{1: 410})
		s.write(server, english, 410, 450)
		s.wantVersions(map[int]int{1: 450})
	})
}

// Of several projectors one trains, and when it ends in the middle another one
// continues where it stopped, however wrong its clock was.
func TestOneProjectorPacks(t *testing.T) {
	for _, off := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour} {
		t.Run(fmt.Sprintf("a clock is off by %s", off), func(t *testing.T) { open(t, func(s *shop) { s.packedByOne(off) }) })
	}
}

func (s *shop) packedByOne(off time.Duration) {
	s.write(s.server("server"), english, 0, 900)
	stop := s.projectorOff("one", off)
	time.Sleep(time.Second)
	defer s.projector("two")()
	defer s.projector("three")()
	began := time.Now()
	for s.versions()[1] < 100 && time.Since(began) < 5*time.Minute {
		time.Sleep(time.Second)
	}
	if n := strings.Count(s.log.String(), "trained a dictionary"); n != 1 || s.dictionary() != 1 {
		s.Errorf("%d trained, and the dictionary is %d", n, s.dictionary())
	}
	if n := s.items(key.Meta("dictionary-")); n != 1 {
		s.Errorf("%d dictionaries were made", n)
	}
	stop()
	time.Sleep(5 * time.Minute)
	s.wantVersions(map[int]int{1: 900})
	if n := strings.Count(s.log.String(), "all texts are compressed"); n != 1 {
		s.Errorf("%d packed everything:\n%s", n, s.log.String())
	}
}

// Two that train at once, because neither knows of the other, are as good as one.
func TestTwoTrainAtOnce(t *testing.T) {
	open(t, func(s *shop) {
		s.write(s.server("founder"), english, 0, 300)
		var both sync.WaitGroup
		for _, name := range []string{"one", "two"} {
			both.Go(func() {
				by := s.server(name)
				samples, err := by.Packing().Sample(s.Context(), 300, 0)
				testkit.Check(t, err == nil, "%v", err)
				if trained, err := by.Packing().Train(s.Context(), 0, samples); err != nil || trained.Version != s.dictionary() {
					t.Errorf("%+v, %v, and the table's is %d", trained, err, s.dictionary())
				}
				if name == "one" {
					s.write(by, english, 300, 320)
				}
			})
		}
		both.Wait()
		s.wantVersions(map[int]int{0: 300, s.dictionary(): 20})
	})
}

// When people begin to write of other things, and it shows, a dictionary of that
// is trained. When it is no better, the old one stays, and is not looked at again
// until texts become larger still.
func TestTrainsAgain(t *testing.T) {
	open(t, func(s *shop) {
		server := s.server("server")
		s.write(server, english, 0, 400)
		defer s.projector("one")()
		defer s.projector("two")()
		time.Sleep(3 * time.Minute)
		s.wantVersions(map[int]int{1: 400})
		s.write(server, english, 400, 700)
		time.Sleep(2 * time.Minute)
		testkit.Check(t, s.dictionary() == 1, "more of the same, and the dictionary is %d\n%s", s.dictionary(), s.log.String())
		s.write(server, finnish, 700, 1200)
		time.Sleep(5 * time.Minute)
		n := strings.Count(s.log.String(), "trained a new dictionary")
		testkit.Check(t, n == 1 && s.dictionary() == 2, "%d trained again, and the dictionary is %d\n%s", n, s.dictionary(), s.log.String())
		s.wantVersions(map[int]int{2: 1200})
		noise := make([]string, 8) // nothing helps with that
		for i := range noise {
			noise[i] = string([]rune{rune(0x4e00 + i*977%20000), rune(0x4e00 + i*3571%20000)})
		}
		for from := 1200; from < 2400; from += 300 {
			s.write(server, noise, from, from+300)
			time.Sleep(3 * time.Minute)
		}
		d := s.dictionary()
		testkit.Check(t, d <= 3, "it trained again and again, up to dictionary %d\n%s", d, s.log.String())
	})
}

// Who wants plain texts gets them, and is left alone.
func TestPlainTexts(t *testing.T) {
	open(t, func(s *shop) {
		plain := s.with("plain", store.Options{PlainTexts: true, Packing: &packing.Options{Enough: 100}})
		s.write(plain, english, 0, 200)
		lacks, err := plain.Settings().LacksDictionary(s.Context())
		testkit.Check(t, !lacks && err == nil, "it asks for a dictionary: %v", err)
		others := s.with("others", store.Options{Packing: &packing.Options{Enough: 100}})
		if n, all := len(index.Indexes[index.Index](plain.Projector().Engine())), len(index.Indexes[index.Index](others.Projector().Engine())); n != all-1 {
			t.Errorf("its projector keeps %d things, and others, which keep dictionaries, too, %d", n, all)
		}
		packs := s.server("packs")
		testkit.Value(packs.Packing().Train(s.Context(), 0, manyWords()))(t)
		time.Sleep(time.Minute)
		s.write(packs, english, 200, 210)
		s.write(plain, english, 210, 230)
		s.wantVersions(map[int]int{0: 220, 1: 10})
	})
}

func manyWords() (out []pack.Words) {
	for i := range 300 {
		out = append(out, pack.Words{Text: english[i%len(english)] + ", and " + english[i*3%len(english)]})
	}
	return out
}

// A server that keeps its dictionaries has loaded a new one before anybody writes
// with it: no page reads it.
func TestDictionariesAreKept(t *testing.T) {
	open(t, func(s *shop) {
		client := s.db.Client("visited")
		writer, visited := s.server("writer"), store.New(client, "comments", store.Options{})
		s.write(writer, english, 0, 200)
		ctx, cancel := context.WithCancel(s.Context())
		defer cancel()
		testkit.Must(t, visited.Settings().LoadDictionaries(ctx))
		go visited.Settings().KeepDictionaries(ctx)
		// What a projector does: it trains, and does not write with it itself.
		trainer := s.server("trainer").Settings()
		testkit.Value(trainer.AddDictionary(ctx, 0, func(version int) ([]byte, float64, error) { return pack.Learn(version, manyWords()) }))(t)
		reads := func() int { // of dictionaries
			before := client.Calls()
			d, err := visited.Settings().Codec(s.Context(), 1)
			testkit.Need(t, d != nil && err == nil, "%v", err)
			return client.Calls() - before
		}
		for n := 200; s.versions()[1] == 0; n++ {
			testkit.Need(t, n != 400, "the new dictionary is never used")
			s.write(writer, english, n, n+1)
			time.Sleep(100 * time.Millisecond)
		}
		n := reads()
		testkit.Check(t, n == 0, "the dictionary was not there when the first comment was packed with it")
		// A process that starts loads what there is.
		late := s.server("late")
		testkit.Must(t, late.Settings().LoadDictionaries(ctx))
		if known, err := late.Settings().Dictionary(ctx, 1); err != nil || known.Share <= 0 || known.Share >= 1 {
			t.Errorf("%+v, %v", known, err)
		}
	})
}

// train trains a dictionary, as an operator does.
func (s *shop) train(by *store.Store) {
	s.Helper()
	samples, err := by.Packing().Sample(s.Context(), 1000, 0)
	if err == nil {
		_, err = by.Packing().Train(s.Context(), settings.Whatever, samples)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// Who packs for hours does so with the dictionary that is in use by then: what others have
// packed again is not packed again with one that was deleted in the meantime, and so lost.
func TestPackForHours(t *testing.T) {
	open(t, func(s *shop) {
		by := s.server("operator")
		s.write(by, english, 0, 300)
		s.train(by)
		slow := store.New(&pages{s.db.Client("slow")}, "comments", store.Options{})
		done := make(chan error)
		go func() {
			_, err := slow.Packing().All(s.Context(), 0.005, nil)
			done <- err
		}()
		time.Sleep(time.Minute)
		s.train(by)
		if _, err := by.Packing().All(s.Context(), 0, nil); err != nil {
			s.Fatal(err)
		}
		time.Sleep(2 * settings.Settled)
		if gone, err := by.Packing().Prune(s.Context(), 0, nil); err != nil || len(gone) != 1 {
			s.Errorf("%v, %v", gone, err)
		}
		select {
		case err := <-done:
			s.Fatalf("it was done too early: %v", err)
		default:
		}
		if err := <-done; err != nil {
			s.Error(err)
		}
		s.wantVersions(map[int]int{2: 300})
	})
}

// pages answers scans by small pages.
type pages struct{ store.API }

func (p *pages) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	few := *in
	few.Limit = aws.Int32(1)
	return p.API.Scan(ctx, &few, o...)
}

// A clock that is hours ahead deletes no dictionary that someone still writes with.
func TestPruneByAWrongClock(t *testing.T) {
	open(t, func(s *shop) {
		by, other := s.server("operator"), s.server("other")
		s.write(by, english, 0, 200)
		s.train(by)
		time.Sleep(time.Minute)
		s.write(other, english, 200, 210) // with the first
		s.train(by)
		if _, err := by.Packing().All(s.Context(), 0, nil); err != nil {
			s.Fatal(err)
		}
		ahead := s.with("ahead", store.Options{Now: func() time.Time { return time.Now().Add(2 * settings.Settled) }})
		done := make(chan []int)
		go func() {
			pruned, err := ahead.Packing().Prune(s.Context(), 0, nil)
			if err != nil {
				s.Error(err)
			}
			done <- pruned
		}()
		time.Sleep(2 * time.Second)
		s.write(other, english, 210, 220) // which has yet to hear of the second
		if pruned := <-done; len(pruned) > 0 {
			s.Errorf("%v were deleted", pruned)
		}
		s.wantVersions(map[int]int{1: 10, 2: 210})
	})
}

// Dictionaries that nothing is packed with go once no one can write with them any more;
// what is not published counts, too.
func TestPrune(t *testing.T) {
	open(t, func(s *shop) {
		by := s.server("operator")
		train := func() { s.T.Helper(); s.train(by) }
		prune := func(want ...int) {
			s.T.Helper()
			got, err := by.Packing().Prune(s.Context(), 0, nil)
			if err != nil || !slices.Equal(got, want) {
				s.Errorf("%v, %v, want %v", got, err, want)
			}
		}
		s.write(by, english, 0, 200)
		train()
		time.Sleep(time.Minute)
		s.write(by, english, 200, 210)
		if _, err := by.Decide(s.Context(), store.Ruling{ID: "c00205", Verb: moderation.Reject, By: "mia", Reason: "It is rude"}); err != nil {
			s.Fatal(err)
		}
		train()
		if _, err := by.Packing().Prune(s.Context(), 0, nil); errs.CodeOf(err) != errs.Conflict {
			s.Errorf("%v: a process may write with the first one", err)
		}
		time.Sleep(2 * settings.Settled)
		prune() // the first is in use
		if _, err := by.Packing().All(s.Context(), 0, nil); err != nil {
			s.Fatal(err)
		}
		prune(1)
		prune()
		other := s.server("other") // it starts without complaint
		if err := other.Settings().LoadDictionaries(s.Context()); err != nil {
			s.Error(err)
		}
	})
}
