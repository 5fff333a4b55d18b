package cursor

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/store/key"
)

func codec(t testing.TB, fill ...byte) *Codec {
	t.Helper()
	var secrets [][]byte
	for _, b := range fill {
		secrets = append(secrets, bytes.Repeat([]byte{b}, MinSecret))
	}
	c, err := New(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRoundTrip(t *testing.T) {
	c := codec(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.String().Draw(t, "scope")
		p := key.Position{
			CreatedAt: time.Unix(0, rapid.Int64Min(0).Draw(t, "ns")).UTC(),
			CommentID: rapid.StringN(1, -1, 64).Draw(t, "id"),
		}
		token, err := c.Encode(scope, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(token) > MaxLength {
			t.Fatalf("%d characters", len(token))
		}
		if again, _ := c.Encode(scope, p); again != token {
			t.Fatal("the same position gave two tokens")
		}
		if back, err := c.Decode(scope, token); err != nil || back != p {
			t.Fatalf("%+v came back as %+v, %v", p, back, err)
		}
		if _, err := c.Decode(scope+"x", token); !errors.Is(err, ErrOtherList) {
			t.Fatalf("another scope: %v", err)
		}
	})
}

func TestRankRoundTrip(t *testing.T) {
	c := codec(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.String().Draw(t, "scope")
		r := key.Rank{FiveStars: rapid.IntMin(1).Draw(t, "fives"), ProductID: rapid.StringN(1, -1, 128).Draw(t, "id")}
		token, err := c.EncodeRank(scope, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(token) > MaxRankLength {
			t.Fatalf("%d characters", len(token))
		}
		if again, _ := c.EncodeRank(scope, r); again != token {
			t.Fatal("the same rank gave two tokens")
		}
		if back, err := c.DecodeRank(scope, token); err != nil || back != r {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
		if _, err := c.DecodeRank(scope+"x", token); !errors.Is(err, ErrOtherList) {
			t.Fatalf("another scope: %v", err)
		}
	})
}

// A token that strays to a list of the other kind is not damaged, however long
// it is: its owner is told which mistake it was.
func TestOtherKind(t *testing.T) {
	c := codec(t, 1)
	comment, err := c.Encode("comments", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	rank, err := c.EncodeRank("leaders", key.Rank{FiveStars: 7, ProductID: strings.Repeat("p", 128)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.DecodeRank("leaders", comment); !errors.Is(err, ErrOtherList) {
		t.Errorf("a comment's token in a leaderboard: %v", err)
	}
	if _, err := c.Decode("comments", rank); !errors.Is(err, ErrOtherList) {
		t.Errorf("a rank's token in a list of comments: %v", err)
	}
}

var somewhere = key.Position{CreatedAt: time.Unix(1_700_000_000, 5).UTC(), CommentID: strings.Repeat("i", 64)}

func TestEveryChangedCharacterIsRefused(t *testing.T) {
	c := codec(t, 1)
	token, err := c.Encode("scope", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	for i := range token {
		for _, r := range "Ab0_ =\n" {
			changed := token[:i] + string(r) + token[i+1:]
			if changed == token {
				continue
			}
			if _, err := c.Decode("scope", changed); !errors.Is(err, ErrDamaged) {
				t.Fatalf("character %d changed to %q: %v", i, r, err)
			}
		}
	}
	for _, damaged := range []string{"", token[:len(token)-1], token + "A", token + "\n", token[:9] + "\r\n" + token[9:], strings.Repeat("A", 10_000), "AQ"} {
		if _, err := c.Decode("scope", damaged); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.20q: %v", damaged, err)
		}
	}
}

func TestRotation(t *testing.T) {
	old, both, next := codec(t, 1), codec(t, 2, 1), codec(t, 2)
	token, _ := old.Encode("scope", somewhere)
	if p, err := both.Decode("scope", token); err != nil || p != somewhere {
		t.Errorf("the old key's token was refused: %v", err)
	}
	if _, err := next.Decode("scope", token); !errors.Is(err, ErrDamaged) {
		t.Errorf("a forgotten key's token: %v", err)
	}
	fresh, _ := both.Encode("scope", somewhere)
	if p, err := next.Decode("scope", fresh); err != nil || p != somewhere {
		t.Errorf("the first key does not seal: %v", err)
	}
}

func TestParseSecrets(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16)
	std, url := base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw)
	got, err := ParseSecrets(" " + std + ",\n" + url + "\n")
	if err != nil || len(got) != 2 || !bytes.Equal(got[0], raw) || !bytes.Equal(got[1], raw) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", " , ", "c2hvcnQ=", "not base64 at all!"} {
		if _, err := ParseSecrets(bad); err == nil || (len(bad) > 3 && strings.Contains(err.Error(), bad)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLoadOrCreateAgreesAmongProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "cursor.key")
	got := make([][][]byte, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = LoadOrCreate(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, g := range got {
		if len(g) != 1 || !bytes.Equal(g[0], got[0][0]) {
			t.Fatalf("different keys: %d", len(g))
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func FuzzDecode(f *testing.F) {
	c := codec(f, 1)
	token, _ := c.Encode("scope", somewhere)
	f.Add(token)
	rank, _ := c.EncodeRank("scope", key.Rank{FiveStars: 7, ProductID: "42"})
	f.Add(rank)
	f.Add("")
	f.Add("AQAAAA")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := c.Decode("scope", s)
		r, rankErr := c.DecodeRank("scope", s)
		if !errors.Is(rankErr, err) {
			t.Fatalf("as a comment %v, as a rank %v", err, rankErr)
		}
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrOtherList) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		// What is accepted is a token that we made: it encodes to itself.
		if again, err := c.Encode("scope", p); err != nil || again != s {
			t.Fatalf("%q was accepted, its position encodes to %q, %v", s, again, err)
		}
		if again, err := c.EncodeRank("scope", r); err != nil || again != s {
			t.Fatalf("%q was accepted, its rank encodes to %q, %v", s, again, err)
		}
	})
}
