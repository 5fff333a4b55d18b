package cache_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/read/cache"
)

func newStrings(maxBytes int64, now func() time.Time) *cache.Cache[string, string] {
	return cache.New(cache.Options[string, string]{MaxBytes: maxBytes, Now: now, Size: func(k, v string) int { return len(k) + len(v) }})
}

// today is when tests begin that move the time.
var today = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestEntriesLiveUntilTheirTime(t *testing.T) {
	now := today
	c := newStrings(1<<20, func() time.Time { return now })
	c.Set("a", "short", now.Add(time.Second))
	c.Set("b", "long", now.Add(time.Minute))
	want := func(key, value string) {
		t.Helper()
		got, ok := c.Get(key)
		testkit.Check(t, got == value && ok == (value != ""), "%s: %q, %t", key, got, ok)
		got, _ = c.Peek(key)
		testkit.Check(t, got == value, "peek %s: %q", key, got)
	}
	now = now.Add(time.Second - 1)
	want("a", "short")
	now = now.Add(1)
	want("a", "")
	want("b", "long")
	testkit.Check(t, !c.Set("b", "late", now), "what has expired was kept")
	want("b", "") // the value that it should have replaced is gone, too
	c.Set("b", "again", now.Add(time.Hour))
	want("b", "again")
	c.Delete("b")
	want("b", "")
}

func TestBytesAreBounded(t *testing.T) {
	const most = 1 << 20
	c := newStrings(most, nil)
	expires := time.Now().Add(time.Hour)
	for i := range 5000 {
		c.Set(fmt.Sprint(i), strings.Repeat("x", 1000), expires)
		if i%100 == 0 {
			s := c.Stats()
			testkit.Need(t, s.Bytes <= most, "after %d: %+v", i, s)
		}
	}
	s := c.Stats()
	testkit.Check(t, s.Bytes <= most && s.Bytes >= most/2 && s.Entries <= most/1000 && s.Entries >= most/4000, "%+v", s)
	testkit.Check(t, !c.Set("large", strings.Repeat("x", most/8), expires), "an entry may take more than an eighth")
	testkit.Check(t, c.Set("large", strings.Repeat("x", most/16), expires), "an entry of a sixteenth was refused")
	s = c.Stats()
	testkit.Check(t, s.Bytes <= most, "%+v", s)
}

// Many entries that are asked for once do not displace those asked for often.
func TestEntriesInUseStay(t *testing.T) {
	c := newStrings(256<<10, nil)
	expires := time.Now().Add(time.Hour)
	value := strings.Repeat("x", 1000)
	const wanted = 20
	for range 20 {
		for i := range wanted {
			if _, ok := c.Get(fmt.Sprint("wanted ", i)); !ok {
				c.Set(fmt.Sprint("wanted ", i), value, expires)
			}
		}
	}
	for i := range 5000 {
		c.Set(fmt.Sprint("once ", i), value, expires)
	}
	left := 0
	for i := range wanted {
		if _, ok := c.Peek(fmt.Sprint("wanted ", i)); ok {
			left++
		}
	}
	testkit.Check(t, left >= wanted/2, "%d of %d are left", left, wanted)
}

// Expired entries are removed even if no one asks for them again.
func TestExpiredEntriesMakeRoom(t *testing.T) {
	now := today
	c := newStrings(1<<20, func() time.Time { return now })
	for i := range 100 {
		c.Set(fmt.Sprint(i), strings.Repeat("x", 1000), now.Add(time.Second))
	}
	now = now.Add(time.Hour)
	s := c.Stats()
	testkit.Check(t, s.Entries == 0 && s.Bytes == 0, "%+v", s)
}

func TestNoCache(t *testing.T) {
	c := newStrings(0, nil)
	testkit.Need(t, c == nil, "a cache of no bytes")
	testkit.Check(t, !c.Set("a", "b", time.Now().Add(time.Hour)), "it keeps something")
	c.Delete("a")
	_, ok := c.Get("a")
	testkit.Check(t, !ok, "it has something")
	testkit.Equal(t, c.Stats(), (cache.Stats{}), "c.Stats()")
}

func TestStats(t *testing.T) {
	c := newStrings(1<<20, nil)
	c.Get("a")
	c.Set("a", "b", time.Now().Add(time.Hour))
	c.Get("a")
	c.Get("a")
	c.Peek("a")
	s := c.Stats()
	testkit.Check(t, s.Hits == 2 && s.Misses == 1 && s.Entries == 1 && s.Bytes > 2, "%+v", s)
}

// Under concurrent use a key has its own value or none, and the bound holds.
func TestConcurrentUse(t *testing.T) {
	const most = 64 << 10
	c := newStrings(most, nil)

	testkit.AtOnce(8, func(g int) {
		random := rand.New(rand.NewPCG(1, uint64(g)))
		for range 5000 {
			key := fmt.Sprint(random.IntN(200))
			switch random.IntN(5) {
			case 0:
				c.Set(key, strings.Repeat(key, 200), time.Now().Add(time.Minute))
			case 1:
				c.Delete(key)
			default:
				got, ok := c.Get(key)
				testkit.Check(t, !ok || got == strings.Repeat(key, 200), "%s: %.20s", key, got)
			}
		}
	})
	s := c.Stats()
	testkit.Check(t, s.Bytes <= most && s.Entries != 0, "%+v", s)
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]cache.Size{
		"0": 0, "65536B": 65536, "512B": 512, "64KB": 64_000, "64MB": 64_000_000, "2gb": 2_000_000_000,
		"64KiB": 64 << 10, "64MiB": 64 << 20, " 1 GiB ": 1 << 30, "9223372036854775807B": 1<<63 - 1,
	} {
		var s cache.Size
		err := s.UnmarshalText([]byte(text))
		testkit.Check(t, err == nil && s == want, "%q: %d, %v", text, s, err)
	}
	for _, text := range []string{"", "MB", "-1", "1.5MB", "64 mebibytes", "64TB", "9223372036854775808", "9223372036854775807KB", "1 2"} {
		var s cache.Size
		err := s.UnmarshalText([]byte(text))
		testkit.Check(t, err != nil && strings.Contains(err.Error(), "64MB") && s == 0, "%q: %d, %v", text, s, err)
	}
	var s cache.Size
	err := s.UnmarshalText([]byte("256"))
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "write 256MiB") && s == 0, "without a unit: %d, %v", s, err)
}
