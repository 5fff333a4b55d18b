package simulation

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
)

// config is the configuration that a seed draws for a history.
type config struct {
	Kind                string
	Products, Languages []string
	Actors              int // goroutines that call verbs
	Steps               int // of each of them
	Pace                time.Duration
	Servers, Projectors int
	Functions           int           // instances of the Lambda function
	Poll                time.Duration // of the projectors
	MetaAge, PageAge    time.Duration
	Double              double.Options
	Calls               faults.Rates // latency at all times
	Storm               faults.Rates // faults that come and go
	Skew                bool         // clocks of servers differ
	Astray              bool         // and the clocks of projectors, by hours

	Founded       int  // comments that were imported before
	LongAgo       int  // kinds of comments that were imported long ago
	Tongues       int  // languages in which a product has a comment each from the beginning
	Large         bool // comments are as large as an index carries them, so that pages are read by rating
	OldStatistics bool // the table is older than all of its statistics
	Moderated     bool // moderators decide, and people report
	Mode          moderation.Mode
	Alone         bool // owners may write one comment about a product
	Erased        bool // people are erased
	Operators     int  // goroutines that give an operator's commands
	Sparse        bool // few comments, whose ratings change often: kinds come and go
	Edits         bool // most of what visitors do are edits
	Switches      bool // most of what operators do is to switch power sets
	PowerSets     bool
	Ready         bool // a product has a power set from the beginning
	Rebuilds      bool
	Attributes    bool // of comments, which are defined now and then
	Redefined     bool // definitions change often
	Groups        bool // of products
	Defined       bool // a product has definitions from the beginning
	Wide          int  // so many attributes of a product that a comment has more entries than a transaction takes
	Maintain      time.Duration
	Kills         bool // of servers and projectors
	Reshards      bool
	Absences      int  // days without a projector
	Holds         bool // the Lambda event source leaves a shard alone for hours
	Webhooks      bool // events leave the table
	Loud          bool // those of imports, too
	Requests      bool // buyers are asked for reviews
	AskAfter      time.Duration
	RemindAfter   time.Duration
	FromHour      int
	ToHour        int
	ZoneOffset    time.Duration
	EventsAlone   bool // no mail is sent
	Photos        bool // of comments
	Keep          bool // what runs at the end continues, instead of new processes
}

var (
	someProducts = []string{"p", "4/2", "q#~", "r"}
	// neighbours are products whose buckets share a lane of the projector. That of the
	// first, which has the definitions and the copies, is the smaller one: so the lane may
	// take a comment that comes before it leaves the other.
	neighbours    = []string{"p2", "p"}
	someLanguages = []string{"en", "en-GB", "de", "pt-BR", "fr"}
	someTongues   = []string{"nl", "da", "fi", "pl", "cs", "hu", "tr", "el", "ja", "ko"}
)

// draw makes the configuration that a seed stands for.
func draw(seed uint64) config {
	r := &dice{rand.New(rand.NewPCG(seed, 0))}
	c := config{
		Kind:     "usual",
		Products: someProducts[:1+r.IntN(len(someProducts))], Languages: someLanguages[:1+r.IntN(len(someLanguages))],
		Actors: 2 + r.IntN(5), Steps: int(r.duration(5, 40)), Pace: r.duration(5*time.Millisecond, time.Second),
		Servers: 1 + r.IntN(3), Projectors: 1 + r.IntN(2),
		Poll: r.duration(250*time.Millisecond, 2*time.Second), MetaAge: 2 * time.Second, Founded: r.IntN(20), Operators: 1, Keep: r.chance(0.5),
		PowerSets: r.chance(0.4), Rebuilds: r.chance(0.3), Kills: r.chance(0.4), Reshards: r.chance(0.4), Skew: r.chance(0.2),
	}
	c.Double = double.Options{Seed: seed, Shards: 1 + r.IntN(3)}
	c.Calls.Latency = r.duration(100*time.Microsecond, 30*time.Millisecond)
	if r.chance(0.7) {
		c.Double.IndexLag = r.duration(time.Millisecond, 200*time.Millisecond)
	}
	if r.chance(0.5) {
		c.Double.StreamLag = r.duration(time.Millisecond, 2*time.Second)
	}
	c.Ready = c.PowerSets && r.chance(0.5)
	if r.chance(0.3) {
		c.MetaAge = r.duration(time.Millisecond, time.Second)
	}
	if r.chance(0.3) {
		c.Functions = 1 + r.IntN(2)
		c.Projectors = r.IntN(2)
	}
	if r.chance(0.4) {
		c.PageAge = r.duration(100*time.Millisecond, 5*time.Second)
	}
	if r.chance(0.7) {
		c.Storm = r.storm(c.Calls.Latency)
	}
	switch {
	case r.chance(0.15): // one product, and everybody at it
		c.Kind, c.Products, c.Languages, c.Pace = "crowded", c.Products[:1], c.Languages[:1], r.duration(time.Millisecond, 100*time.Millisecond)
		c.Founded = 5 + r.IntN(60)
	case r.chance(0.15): // pages that are kept, over a slow network
		c.Kind, c.PageAge, c.Calls.Latency = "slow pages", r.duration(time.Second, 5*time.Second), r.duration(50*time.Millisecond, 600*time.Millisecond)
		c.Double.IndexLag = r.duration(20*time.Millisecond, 200*time.Millisecond)
		c.Pace = r.duration(20*time.Millisecond, 400*time.Millisecond)
	case r.chance(0.15): // days without a projector
		c.Kind, c.Absences, c.Reshards, c.Rebuilds = "absent", 1+r.IntN(2), r.chance(0.8), false
		c.Functions, c.Projectors = 0, 1+r.IntN(2) // of what a mapping loses, no one can know
		c.Steps = 4 + r.IntN(10)
	case r.chance(0.12): // few writes a day, and some shards are far behind
		c.Kind, c.Poll, c.Pace, c.Actors, c.Steps = "slow", 2*time.Minute, r.duration(20*time.Minute, 2*time.Hour), 4, 30
		c.Products, c.Languages, c.PowerSets, c.Ready, c.Kills, c.Founded = c.Products[:1], c.Languages[:1], false, false, false, 2+r.IntN(4)
		c.Sparse, c.Reshards = true, false // a parent and its child together would be held for longer than the stream keeps records
		c.Projectors, c.Functions, c.Holds, c.Rebuilds = 0, 1, true, false
		c.Double.Shards, c.Large = 2+r.IntN(2), true
	case r.chance(0.03): // an import of many kinds, long ago
		c.Kind, c.LongAgo = "long ago", 100+r.IntN(300)
	case r.chance(0.05): // as many languages as a product may have
		c.Kind, c.Products, c.Languages, c.Tongues = "tongues", c.Products[:1], someTongues, stats.MaxLanguages-1-r.IntN(12)
		c.Founded, c.PowerSets, c.Ready = 0, false, false
	case r.chance(0.15): // edits of few comments, whose answers are often lost
		c.Kind, c.Products, c.Edits, c.Founded, c.Steps = "edits", c.Products[:1], true, 1+r.IntN(3), 10+r.IntN(25)
		c.Actors, c.Pace = 3+r.IntN(4), r.duration(5*time.Millisecond, 300*time.Millisecond)
		c.Storm = faults.Rates{Latency: c.Calls.Latency, Repeated: 0.3, Lost: 0.05 * r.Float64()}
	case r.chance(0.15): // what people order, say and decide, until they are erased
		c.Kind, c.Products, c.Languages, c.Erased = "people", c.Products[:min(2, len(c.Products))], c.Languages[:min(2, len(c.Languages))], true
		c.Founded, c.Steps, c.Pace = r.IntN(10), 20+r.IntN(30), r.duration(10*time.Millisecond, time.Second)
	case r.chance(0.2): // power sets come and go, over a slow network
		c.Kind, c.Products, c.Switches, c.PowerSets, c.Ready = "switches", c.Products[:1], true, true, true
		c.Calls.Latency, c.Storm.Latency = r.duration(20*time.Millisecond, 600*time.Millisecond), r.duration(20*time.Millisecond, 900*time.Millisecond)
		c.Founded, c.Pace, c.Steps = 1+r.IntN(5), r.duration(200*time.Millisecond, 2*time.Second), 20+r.IntN(30)
	case r.chance(0.25): // attributes, of few comments
		c.Kind, c.Products, c.Attributes, c.Defined, c.Redefined = "attributes", c.Products[:min(2, len(c.Products))], true, true, r.chance(0.5)
		c.Founded, c.Groups, c.Maintain, c.MetaAge = 2+r.IntN(30), r.chance(0.4), r.duration(200*time.Millisecond, 5*time.Second), r.duration(time.Millisecond, 2*time.Second)
		c.Pace, c.Steps = r.duration(50*time.Millisecond, 2*time.Second), 15+r.IntN(25)
	case r.chance(0.05): // more entries of a comment than a transaction takes
		c.Kind, c.Products, c.Attributes, c.Defined, c.Wide = "wide", c.Products[:1], true, true, 90+r.IntN(60)
		c.Founded, c.Maintain, c.Pace, c.Steps, c.Languages = 1+r.IntN(5), time.Second, r.duration(20*time.Millisecond, time.Second), 5+r.IntN(15), c.Languages[:1]
		c.Sparse = true
	case r.chance(0.15):
		c.Kind, c.OldStatistics, c.Founded = "old statistics", true, 5+r.IntN(30)
		c.Ready = false
	}
	c.Alone = r.chance(0.3)
	if !c.Attributes && !c.OldStatistics && c.Tongues+c.LongAgo == 0 && r.chance(0.25) {
		c.Attributes, c.Groups, c.Defined, c.Maintain = true, r.chance(0.2), r.chance(0.5), r.duration(200*time.Millisecond, 10*time.Second)
	}
	if !c.OldStatistics && c.LongAgo == 0 && (r.chance(0.35) || c.Kind == "people") {
		c.Moderated, c.Mode = true, []moderation.Mode{moderation.Off, moderation.Post, moderation.Pre}[r.IntN(3)]
	}
	c.Erased = c.Erased || r.chance(0.15)
	c.Astray = c.Kind != "absent" && c.Kind != "slow" && r.chance(0.3+0.3*float64(one(c.Attributes))) // what a stream has lost is a matter of clocks
	if len(c.Products) > 1 && r.chance(0.5) {
		c.Products = slices.Concat(neighbours, c.Products[2:])
		c.Ready = c.Ready || c.PowerSets && !c.OldStatistics && r.chance(0.6)
	}
	c.Webhooks, c.Loud = r.chance(0.4), r.chance(0.5)
	if c.Kind == "usual" && r.chance(0.2) {
		r.requests(&c)
	}
	// A photo is kept for an hour longer than it can be taken, for clocks that differ by less.
	c.Photos = !c.Skew && !c.Astray && !c.OldStatistics && r.chance(0.5)
	return c
}

// dice draw from a seed.
type dice struct{ *rand.Rand }

func (d *dice) chance(p float64) bool { return d.Float64() < p }

// duration draws evenly by order of magnitude.
func (d *dice) duration(least, most time.Duration) time.Duration {
	ratio := float64(most) / float64(least)
	return time.Duration(float64(least) * math.Pow(ratio, d.Float64()))
}

// storm draws faults, some kinds of them.
func (d *dice) storm(latency time.Duration) faults.Rates {
	f := faults.Rates{Latency: latency}
	for _, rate := range []*float64{&f.Throttled, &f.Conflict, &f.Internal, &f.Unreachable, &f.Lost, &f.Repeated, &f.PartialBatch, &f.EmptyRecords, &f.StaleList, &f.ExpiredIterator} {
		if d.chance(0.4) {
			*rate = 0.01 * math.Pow(30, d.Float64())
		}
	}
	return f
}

// requests makes a configuration one in which buyers are asked for reviews, within hours.
func (d *dice) requests(c *config) {
	c.Kind, c.Requests, c.Erased = "requests", true, d.chance(0.6)
	c.Products, c.Languages, c.Founded = someProducts, c.Languages[:min(2, len(c.Languages))], d.IntN(5)
	c.Attributes, c.Groups, c.Defined, c.PowerSets, c.Ready, c.Rebuilds = false, false, false, false, false, false
	c.Steps, c.Pace, c.Poll, c.Maintain = 25+d.IntN(35), d.duration(10*time.Second, 2*time.Minute), d.duration(10*time.Second, time.Minute), 5*time.Minute
	c.Projectors, c.Functions = 1+d.IntN(3), 0
	c.AskAfter = d.duration(10*time.Second, 10*time.Minute)
	if d.chance(0.7) {
		c.RemindAfter = d.duration(10*time.Second, 10*time.Minute)
	}
	if d.chance(0.4) {
		c.FromHour = d.IntN(23)
		c.ToHour = c.FromHour + 1 + d.IntN(24-c.FromHour)
		c.ZoneOffset = time.Duration(d.IntN(53)-24) * 30 * time.Minute
	}
	c.Webhooks = c.Webhooks || d.chance(0.4)
	c.EventsAlone = c.Webhooks && d.chance(0.2)
}
