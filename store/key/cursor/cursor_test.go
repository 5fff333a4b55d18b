package cursor

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

func codec(t testing.TB, fill ...byte) *Codec {
	t.Helper()
	var secrets [][]byte
	for _, b := range fill {
		secrets = append(secrets, bytes.Repeat([]byte{b}, MinSecret))
	}
	c := testkit.Value(New(secrets...))(t)
	return c
}

func TestRoundTrip(t *testing.T) {
	t.Run("a position among comments by time", func(t *testing.T) {
		roundTrip(t, Comments, MaxLength, rapid.Custom(func(t *rapid.T) key.Position {
			return key.Position{
				CreatedAt: time.Unix(0, rapid.Int64Min(0).Draw(t, "ns")).UTC(),
				CommentID: rapid.StringN(1, -1, 64).Draw(t, "id"),
			}
		}))
	})
	t.Run("a position among comments in another order", func(t *testing.T) {
		roundTrip(t, Ordered, MaxOrderedLength, rapid.Custom(func(t *rapid.T) key.Position {
			return key.Position{
				CreatedAt: time.Unix(0, rapid.Int64Min(0).Draw(t, "ns")).UTC(),
				CommentID: rapid.StringN(1, -1, 64).Draw(t, "id"),
				Value:     string(rapid.SliceOfN(rapid.Byte(), 0, 800).Draw(t, "value")),
				Range:     rapid.IntRange(0, 9).Draw(t, "range"),
			}
		}))
	})
	t.Run("a position among orders", func(t *testing.T) {
		roundTrip(t, Orders, MaxLength, rapid.Custom(func(t *rapid.T) key.Position {
			return key.Position{
				CreatedAt: time.Unix(0, rapid.Int64Min(0).Draw(t, "ns")).UTC(),
				CommentID: rapid.StringN(1, -1, 64).Draw(t, "id"),
				Value:     rapid.SampledFrom([]string{"", "-"}).Draw(t, "value"), // "-" without a shipping date
			}
		}))
	})
	t.Run("a position among ranks", func(t *testing.T) {
		roundTrip(t, Ranks, MaxRankLength, rapid.Custom(func(t *rapid.T) key.Rank {
			return key.Rank{Number: rapid.IntMin(1).Draw(t, "fives"), ProductID: rapid.StringN(1, -1, 128).Draw(t, "id")}
		}))
	})
}

// roundTrip draws places of a kind and fails unless their tokens are short, read
// back the same, and are refused by every other list.
func roundTrip[P interface {
	key.Place
	comparable
}](t *testing.T, kind Kind[P], maxLength int, places *rapid.Generator[P]) {
	c := codec(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		scope, at := rapid.String().Draw(t, "scope"), places.Draw(t, "place")
		l := ListOf(c, kind, scope)
		token := testkit.Value(l.Encode(at))(t)
		testkit.Need(t, len(token) <= maxLength, "%d characters", len(token))
		again, _ := l.Encode(at)
		testkit.Need(t, again == token, "the same place gave two tokens")
		back, err := l.Decode(token)
		testkit.Need(t, err == nil && back == at, "%+v came back as %+v, %v", at, back, err)
		_, err = ListOf(c, kind, scope+"x").Decode(token)
		testkit.Need(t, errors.Is(err, ErrOtherList), "another scope: %v", err)
	})
}

// Clients keep tokens, so their bytes must not change.
func TestTokensStayAsTheyAre(t *testing.T) {
	c := codec(t, 1)
	comment, err := ListOf(c, Comments, "42\x00en\x00I").Encode(benchPosition)
	wantToken(t, comment, err, "AU_zPLLXpGytyUhZGFu2jVbphDgtM0vWSHXC-ISYRJQDv_AZAo1di69Iah48P9sEaNrs5gaimP9y")
	rank, err := ListOf(c, Ranks, "en").Encode(key.Rank{Number: 7, ProductID: "42/x"})
	wantToken(t, rank, err, "ARGeJfC5nvb1dl5tjvY3TuYeL6kPV0EuX1_TMwYgV7lg6kU")
	at := benchPosition
	at.Range, at.Value = 1, "\x12\x80\x05"
	ordered, err := ListOf(c, Ordered, "42\x00en\x00I\x001d").Encode(at)
	wantToken(t, ordered, err, "AYQanl_4KooYP6sgbDJMIGbJbKn60RG6V0lCDTiJ2F3UbFbzVPSYVH2Oi9eXaXpOHEtjgVdixkl06ZcD6rN7")
	rank, err = ListOf(c, Ranks, "").Encode(key.Rank{Number: 1234, ProductID: strings.Repeat("p", 128)})
	wantToken(t, rank, err, "AbpjStbwr93wCaG1fdgVB1XpWgKEeNJ53eGWL3LGSzmJP_LY_45VSHfyori6pyo81B93Gjk5rfNMWX6PYUuysb_KuBiXH2xdEHI92gbDQ9A"+
		"nRL6LW5dwVNF2l91L3Qgp6runIFeGV28lXJgNu4HB1O-ILCyD_W0Fm85ki3rnRj-ATv1PnSMhawWBHYDwMVN2wF2beL3ySuh_21dEEDqW")
}

func wantToken(t *testing.T, got string, err error, want string) {
	t.Helper()
	testkit.Check(t, err == nil && got == want, "got %s, %v\nwant %s", got, err, want)
}

// A token that is sent to a list of the other kind is not called damaged, however long it
// is: the error names the mistake.
func TestOtherKind(t *testing.T) {
	c := codec(t, 1)
	for _, scope := range []string{"", "en", "42\x00en\x00I"} {
		comments, ranks := ListOf(c, Comments, scope), ListOf(c, Ranks, scope)
		comment, err := comments.Encode(somewhere)
		testkit.Need(t, err == nil, "%v", err)
		rank := testkit.Value(ranks.Encode(key.Rank{Number: 7, ProductID: strings.Repeat("p", 128)}))(t)
		_, err = ranks.Decode(comment)
		testkit.Check(t, errors.Is(err, ErrOtherList), "a comment's token in a leaderboard: %v", err)
		_, err = comments.Decode(rank)
		testkit.Check(t, errors.Is(err, ErrOtherList), "a rank's token in a list of comments: %v", err)
	}
}

var somewhere = key.Position{CreatedAt: time.Unix(1_700_000_000, 5).UTC(), CommentID: strings.Repeat("i", 64)}

func TestEveryChangedCharacterIsRefused(t *testing.T) {
	l := ListOf(codec(t, 1), Comments, "scope")
	token := testkit.Value(l.Encode(somewhere))(t)
	for i := range token {
		for _, r := range "Ab0_ =\n" {
			changed := token[:i] + string(r) + token[i+1:]
			if changed == token {
				continue
			}
			_, err := l.Decode(changed)
			testkit.Need(t, errors.Is(err, ErrDamaged), "character %d changed to %q: %v", i, r, err)
		}
	}
	for _, damaged := range []string{"", token[:len(token)-1], token + "A", token + "\n", token[:9] + "\r\n" + token[9:], strings.Repeat("A", 10_000), "AQ"} {
		_, err := l.Decode(damaged)
		testkit.Check(t, errors.Is(err, ErrDamaged), "%.20q: %v", damaged, err)
	}
}

func TestRotation(t *testing.T) {
	list := func(c *Codec) List[key.Position] { return ListOf(c, Comments, "scope") }
	old, both, next := list(codec(t, 1)), list(codec(t, 2, 1)), list(codec(t, 2))
	token, _ := old.Encode(somewhere)
	p, err := both.Decode(token)
	testkit.Check(t, err == nil && p == somewhere, "the old key's token was refused: %v", err)
	_, err = next.Decode(token)
	testkit.Check(t, errors.Is(err, ErrDamaged), "a forgotten key's token: %v", err)
	fresh, _ := both.Encode(somewhere)
	p, err = next.Decode(fresh)
	testkit.Check(t, err == nil && p == somewhere, "the first key does not seal: %v", err)
}

func FuzzDecode(f *testing.F) {
	c := codec(f, 1)
	comments, ranks, ordered := ListOf(c, Comments, "scope"), ListOf(c, Ranks, "scope"), ListOf(c, Ordered, "scope")
	token, _ := comments.Encode(somewhere)
	f.Add(token)
	rank, _ := ranks.Encode(key.Rank{Number: 7, ProductID: "42"})
	f.Add(rank)
	f.Add("")
	f.Add("AQAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		testkit.Need(t, !fuzzDecode(t, comments, s) || !fuzzDecode(t, ranks, s), "two lists accepted %q", s)
		fuzzDecode(t, ordered, s)
	})
}

// fuzzDecode reports whether a list accepts a token, and fails if it is accepted
// without having been made by the list, or refused without one of the reasons.
func fuzzDecode[P key.Place](t *testing.T, l List[P], token string) bool {
	at, err := l.Decode(token)
	if err != nil {
		testkit.Need(t, errors.Is(err, ErrDamaged) || errors.Is(err, ErrOtherList), "unexpected error %v", err)
		return false
	}
	again, err := l.Encode(at)
	testkit.Need(t, err == nil && again == token, "%q was accepted, its place %+v encodes to %q, %v", token, at, again, err)
	return true
}
