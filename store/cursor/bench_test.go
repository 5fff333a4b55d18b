package cursor

import (
	"testing"
	"time"

	"product-comments/store/key"
)

const benchScope = "42\x00en\x00I"

var benchPosition = key.Position{CreatedAt: time.Date(2026, 3, 9, 8, 7, 6, 5, time.UTC), CommentID: "01JP0Z3NDEKTSV4RRFFQ69G5FA"}

func benchCodec(b *testing.B) *Codec {
	b.Helper()
	c, err := New(make([]byte, MinSecret))
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func BenchmarkEncode(b *testing.B) {
	l := ListOf(benchCodec(b), Comments, benchScope)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Encode(benchPosition); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	l := ListOf(benchCodec(b), Comments, benchScope)
	token, err := l.Encode(benchPosition)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Decode(token); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(token)), "characters")
}
