package simulation

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/comment/compressed"
	items "product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
)

type item = map[string]types.AttributeValue

// state is the content of a comment at a moment, comparable with ==. The simulation decodes it from
// items itself, without the store's code.
type state struct {
	id, product, language string
	rating                int
	title, text, author   string
	created, updated      int64 // nanoseconds since 1970
	version               int
	bought                string // whether the author bought the product, as it is spelled
	incentive, used       string // what the author got, and when they used the product, as it is spelled
	owner                 string // which lists do not show
	attributes            string // JSON, as given
	imported              int    // how many found it helpful by an import, -1 if that does not say
	up, down              int    // votes, on the ballot
	ballot                string
	standing              string // empty of what everybody sees, and then in lists
	why                   items.Why
	reports, notices      int    // notices are of these
	reply, replied        string // what the shop said, and when
	photos                string // see photosText
}

// hidden reports whether no one sees it but those whom it concerns.
func (s *state) hidden() bool { return s.standing != "" }

// stands returns the state with the standing of another one.
func (s state) stands(o *state) state {
	s.standing, s.why, s.reports, s.notices, s.reply, s.replied = o.standing, o.why, o.reports, o.notices, o.reply, o.replied
	return s
}

func (s *state) String() string {
	if s == nil {
		return "gone"
	}
	return fmt.Sprintf("%s of %q v%d %s/%d %q %q %d+%d-%d %s%s", s.id, s.product, s.version, s.language, s.rating, s.title, shorten(s.text, 24), s.imported, s.up, s.down, s.attributes+s.bought, s.standing)
}

func shorten(s string, most int) string {
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// position is the comment's place in every list.
func (s *state) position() key.Position {
	return key.Position{CreatedAt: time.Unix(0, s.created).UTC(), CommentID: s.id}
}

// place is the position of a comment in lists. A comment moves when its place changes.
type place struct {
	product, language string
	rating            int
	created           int64
}

func (s *state) place() place { return place{s.product, s.language, s.rating, s.created} }

// stateOf returns what a comment says that the store returned.
func stateOf(c *store.Comment) state {
	s := state{
		id: c.ID, product: c.ProductID, language: c.Language, rating: c.Rating, title: c.Title, text: c.Text, author: c.Author,
		created: c.CreatedAt.UnixNano(), updated: c.UpdatedAt.UnixNano(), version: c.Version, owner: c.Owner,
	}
	s.bought, s.attributes, s.imported = boughtOf(c.VerifiedPurchase), string(c.Attributes), -1
	s.incentive, s.used = string(c.Incentive), usedAt(c.ExperiencedAt)
	if c.Helpful != nil {
		s.imported = *c.Helpful
	}
	s.up, s.down, s.ballot = c.Up, c.Down, c.Ballot
	s.standing, s.why, s.reports, s.notices = standingOf(c.State), c.Why, c.Reports, c.Notices
	s.photos = photosText(c.Photos)
	if c.Reply != nil {
		s.reply, s.replied = c.Reply.Text, spellReplied(c.Reply.CreatedAt, c.Reply.UpdatedAt)
	}
	return s
}

func spellReplied(created, updated time.Time) string {
	return created.UTC().Format(time.RFC3339Nano) + " " + updated.UTC().Format(time.RFC3339Nano)
}

func usedAt(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func boughtOf(verified *bool) string {
	if verified == nil {
		return ""
	}
	return fmt.Sprintf("verified=%t", *verified)
}

// boughtIn is boughtOf what an item says.
func boughtIn(it item) string {
	if v, ok := it["vp"].(*types.AttributeValueMemberBOOL); ok {
		return boughtOf(&v.Value)
	}
	return boughtOf(nil)
}

// verified reports whether the author is known to have bought the product.
func (s *state) verified() bool { return s.bought == boughtOf(new(true)) }

// dimensions are what statistics count.
func (s *state) dimensions() stats.Which {
	return (&stats.Counted{HasText: s.text != "", Verified: s.verified(), HasPhotos: s.photos != "", Incentivized: s.incentive != ""}).Which()
}

// helpful is how many found the comment helpful.
func (s *state) helpful() int { return max(s.imported, 0) + s.up }

// ranked is what the order by how helpful comments were found goes by.
func (s *state) ranked() *big.Rat {
	return big.NewRat(int64(ranking.LowerBound(s.helpful(), s.down)), ranking.Unit)
}

// votedAs returns the state with the votes of another one.
func (s state) votedAs(o *state) state {
	s.up, s.down, s.ballot = o.up, o.down, o.ballot
	return s
}

// listed leaves out what lists do not show.
func (s state) listed(textElsewhere bool) state {
	s.owner, s.attributes, s.imported = "", "", 0
	s = s.votedAs(&state{})
	s.reports, s.notices = 0, 0
	if textElsewhere {
		s.text = ""
	}
	return s
}

func text(it item, name string) string {
	if v, ok := it[name].(*types.AttributeValueMemberS); ok {
		return v.Value
	}
	return ""
}

func truth(it item, name string) bool {
	v, ok := it[name].(*types.AttributeValueMemberBOOL)
	return ok && v.Value
}

func number(it item, name string, otherwise int) int {
	if v, ok := it[name].(*types.AttributeValueMemberN); ok {
		if n, err := strconv.Atoi(v.Value); err == nil {
			return n
		}
	}
	return otherwise
}

// decode reads the item of a comment; nil for no item.
func decode(it item) (*state, error) {
	if len(it) == 0 || items.IsDeleted(it) {
		return nil, nil
	}
	id, ok := key.CommentID(text(it, key.PK))
	standing, place, of := text(it, "st"), text(it, key.GSISK), text(it, key.GSI4PK)
	if standing != "" {
		place, of = text(it, "place"), text(it, "of")
	}
	at, fine := key.ParseSortKey(place)
	product, known := key.ProductID(of)
	if !ok || !fine || !known || at.CommentID != id {
		return nil, fmt.Errorf("the keys of comment %q are damaged", text(it, key.PK))
	}
	s := &state{
		id: id, product: product, language: text(it, "lang"), rating: number(it, "rating", 0),
		title: text(it, "title"), text: text(it, "text"), author: text(it, "author"),
		created: at.CreatedAt.UnixNano(), updated: at.CreatedAt.UnixNano(), version: number(it, "ver", 1), owner: text(it, "owner"),
		up: number(it, "up", 0), down: number(it, "down", 0), ballot: text(it, "ballot"),
	}
	if long := text(it, "longText"); long != "" {
		if s.text != "" {
			return nil, fmt.Errorf("comment %q has both a text and a long one", id)
		}
		s.text = long
	}
	if upd := text(it, "upd"); upd != "" {
		t, err := time.Parse(time.RFC3339Nano, upd)
		if err != nil {
			return nil, err
		}
		s.updated = t.UnixNano()
	}
	s.bought, s.attributes, s.imported = boughtIn(it), text(it, "attributes"), number(it, "helpful", -1)
	s.incentive, s.used = text(it, "in"), text(it, "ex")
	s.standing, s.why, s.reports = standing, items.Why{Code: items.Code(text(it, "code")), Reason: text(it, "why")}, number(it, "reports", 0)
	s.notices = number(it, "notices", 0)
	if ph, ok := it["ph"].(*types.AttributeValueMemberB); ok {
		photos, err := items.PhotosOf(ph.Value)
		if err != nil {
			return nil, err
		}
		s.photos = photosText(photos)
	}
	if said := text(it, "re"); said != "" {
		created, rest, _ := strings.Cut(said, " ")
		updated, words, _ := strings.Cut(rest, " ")
		if updated == "" {
			updated = created
		}
		s.reply, s.replied = words, created+" "+updated
	}
	want := key.OfComment(s.product, s.language, s.rating, s.position())
	if s.hidden() {
		want = key.Item{PK: want.PK, SK: want.SK}
	}
	if got := (key.Item{PK: text(it, key.PK), SK: text(it, key.SK), GSIPK: text(it, key.GSIPK), GSI2PK: text(it, key.GSI2PK), GSI3PK: text(it, key.GSI3PK), GSI4PK: text(it, key.GSI4PK), GSISK: text(it, key.GSISK)}); got != want {
		return nil, fmt.Errorf("the keys of comment %q are %+v, not %+v", id, got, want)
	}
	words, err := unpacked(it)
	if err != nil || words == nil {
		return s, err
	}
	if s.title+s.text+s.author != "" {
		return nil, fmt.Errorf("comment %q has words both packed and plain", id)
	}
	s.title, s.text, s.author = words.Title, words.Text, words.Author
	return s, nil
}

// unpacked returns the packed words of an item, nil if it has none.
func unpacked(it item) (*compressed.Words, error) {
	packed, ok := it["z"].(*types.AttributeValueMemberB)
	if !ok {
		return nil, nil
	}
	words, err := compressed.Unpack(string(packed.Value))
	return &words, err
}
