package cache_test

import (
	"strings"
	"testing"

	"product-comments/internal/cache"
	"product-comments/internal/testkit"
)

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
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "say 256MiB") && s == 0, "without a unit: %d, %v", s, err)
}
