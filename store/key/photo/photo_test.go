package photo_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key/photo"
	"product-comments/store/key/sealed"
)

func TestIDs(t *testing.T) {
	id := photo.NewID()
	testkit.Check(t, photo.Valid(id) && len(id) == 26 && id != photo.NewID(), "id %q", id)
	testkit.Equal(t, strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567"), "", "other characters")
	last := strings.Repeat("a", 25)
	testkit.Check(t, photo.Valid(last+"a") && photo.Valid(last+"e"), "an id of few bits")
	for _, wrong := range []string{"", "a", id + "a", id[1:], strings.ToUpper(last + "b"), "../" + id[3:], last + "b", id[:25] + "\n", id[:25] + "="} {
		testkit.Check(t, !photo.Valid(wrong), "%q is an id", wrong) // last+"b": bits that do not count
	}
}

func TestRenditions(t *testing.T) {
	for width, want := range map[int]string{
		1: "[160] 160 160 160", 160: "[160] 160 160 160", 161: "[160 480] 160 480 480", 480: "[160 480] 160 480 480",
		481: "[160 480 1600] 160 480 1600", 1600: "[160 480 1600] 160 480 1600",
	} {
		got := fmt.Sprint(photo.Renditions(width), photo.Rendition(width, 100), photo.Rendition(width, 161), photo.Rendition(width, 9000))
		testkit.Equal(t, got, want, "of %d pixels", width)
	}
}

func TestAddresses(t *testing.T) {
	old, current := make([]byte, sealed.MinSecret), bytes.Repeat([]byte{1}, sealed.MinSecret)
	before := testkit.Value(photo.NewAddresses("https://reviews.example", "", old))(t)
	a := testkit.Value(photo.NewAddresses("https://reviews.example", "https://cdn.example/p/", current, old))(t)
	other := testkit.Value(photo.NewAddresses("", "", bytes.Repeat([]byte{2}, sealed.MinSecret)))(t)
	id, now := photo.NewID(), time.Date(2026, 6, 1, 12, 9, 59, 0, time.UTC)
	testkit.Equal(t, a.URL(id, 480), "https://cdn.example/p/"+id+"/480", "behind a CDN")
	testkit.Equal(t, before.URL(id, 160), "https://reviews.example/photos/"+id+"/160", "without a CDN")
	testkit.Equal(t, other.URL(id, 160), "/photos/"+id+"/160", "without a host")
	signed := a.Signed(id, 480, now)
	testkit.Check(t, strings.HasPrefix(signed, "https://reviews.example/photos/"+id+"/480?until="), "a signed address is not the CDN's: %s", signed)
	testkit.Equal(t, a.Signed(id, 480, now.Add(-9*time.Minute)), signed, "within ten minutes")
	query := testkit.Value(url.Parse(signed))(t).Query()
	testkit.Check(t, a.Verify(id, query, now) && a.Verify(id, query, now.Add(50*time.Minute)), "not valid within an hour")
	testkit.Check(t, !a.Verify(id, query, now.Add(time.Hour)), "valid after an hour")
	testkit.Check(t, !a.Verify(photo.NewID(), query, now), "valid for another photo")
	testkit.Check(t, !other.Verify(id, query, now) && !before.Verify(id, query, now), "valid with another key")
	rotated := testkit.Value(url.Parse(before.Signed(id, 160, now)))(t).Query()
	testkit.Check(t, a.Verify(id, rotated, now), "not valid after a key was added")
	for name, value := range map[string]string{"until": "9999999999", "sig": "", "none": ""} {
		changed := url.Values{"until": query["until"], "sig": query["sig"]}
		changed.Set(name, value)
		testkit.Equal(t, a.Verify(id, changed, now), name == "none", "with another %s", name)
	}
	testkit.Check(t, !a.Verify(id, url.Values{}, now), "valid without a signature")
	testkit.Fails(t, testkit.Err(photo.NewAddresses("", "")), "no photo key")
}
