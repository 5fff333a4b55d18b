package invitations_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/key/sealed"
)

var (
	old     = make([]byte, sealed.MinSecret)
	current = bytes.Repeat([]byte{1}, sealed.MinSecret)
	now     = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
)

func codec(t *testing.T, secrets ...[]byte) *invitations.Codec {
	t.Helper()
	return testkit.Value(invitations.New(secrets...))(t)
}

// What was sealed is opened, whatever the ids are, and a guest's token is short enough for a QR code.
func TestTokens(t *testing.T) {
	c := codec(t, old)
	for name, i := range map[string]invitations.Invitation{
		"a person's":    {OrderID: "17", ProductID: "42", Subject: "alice"},
		"a guest's":     {OrderID: "17", ProductID: "42", Subject: key.Guest("17")},
		"the longest":   {OrderID: strings.Repeat("o", 64), ProductID: strings.Repeat("p", 128), Subject: strings.Repeat("s", 256)},
		"with zeroes":   {OrderID: "a\x00b", ProductID: "\x00", Subject: "é\x00"},
		"other's guest": {OrderID: "17", ProductID: "42", Subject: key.Guest("18")},
	} {
		i.Expires = now.Add(time.Hour)
		token := testkit.Value(c.Token(i))(t)
		got, err := c.Open(token, now)
		testkit.Check(t, err == nil && got == i, "%s: %+v, %v", name, got, err)
		testkit.Equal(t, testkit.Value(c.Token(i))(t), token, "%s, sealed again", name)
		if name == "a guest's" {
			testkit.Check(t, len(token) <= 48, "a guest's token has %d characters", len(token))
		}
	}
}

// No text but a token is opened: neither an edited one, nor what the same secrets seal for another
// purpose.
func TestDamagedTokens(t *testing.T) {
	c := codec(t, old)
	i := invitations.Invitation{OrderID: "17", ProductID: "42", Subject: "alice", Expires: now.Add(time.Hour)}
	token := testkit.Value(c.Token(i))(t)
	for n := range token {
		for _, by := range []string{"A", "B", "_", "="} {
			if token[n:n+1] == by {
				continue
			}
			_, err := c.Open(token[:n]+by+token[n+1:], now)
			testkit.Check(t, errors.Is(err, invitations.ErrDamaged), "%q at %d: %v", by, n, err)
		}
		_, err := c.Open(token[:n], now)
		testkit.Check(t, errors.Is(err, invitations.ErrDamaged), "the first %d characters: %v", n, err)
	}
	seal := testkit.Value(cursor.New(old))(t)
	other := testkit.Value(cursor.ListOf(seal, cursor.Comments, "42").Encode(key.Position{CreatedAt: now, CommentID: "c"}))(t)
	for _, wrong := range []string{token + "A", token + "\n", " " + token, other, strings.Repeat("A", 1<<20), "é", "="} {
		_, err := c.Open(wrong, now)
		testkit.Check(t, errors.Is(err, invitations.ErrDamaged), "%.60q: %v", wrong, err)
	}
}

func TestExpiry(t *testing.T) {
	c := codec(t, old)
	i := invitations.Invitation{OrderID: "17", ProductID: "42", Subject: "alice", Expires: now.Add(time.Hour)}
	token := testkit.Value(c.Token(i))(t)
	_, err := c.Open(token, i.Expires.Add(-time.Nanosecond))
	testkit.Must(t, err)
	got, err := c.Open(token, i.Expires)
	testkit.Check(t, errors.Is(err, invitations.ErrExpired) && got == i, "%+v, %v", got, err)
}

// A token stays valid after a rotation while its secret is kept.
func TestRotation(t *testing.T) {
	i := invitations.Invitation{OrderID: "17", ProductID: "42", Subject: "alice", Expires: now.Add(time.Hour)}
	token := testkit.Value(codec(t, old).Token(i))(t)
	got, err := codec(t, current, old).Open(token, now)
	testkit.Check(t, err == nil && got == i, "with the old secret: %+v, %v", got, err)
	_, err = codec(t, current).Open(token, now)
	testkit.Check(t, errors.Is(err, invitations.ErrDamaged), "without it: %v", err)
	_, err = invitations.New(old[1:])
	testkit.Check(t, err != nil, "a short secret seals")
}
