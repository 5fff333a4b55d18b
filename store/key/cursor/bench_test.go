package cursor

import (
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
)

const benchScope = "42\x00en\x00I"

var benchPosition = key.Position{CreatedAt: time.Date(2026, 3, 9, 8, 7, 6, 5, time.UTC), CommentID: "01JP0Z3NDEKTSV4RRFFQ69G5FA"}

func benchCodec(b *testing.B) *Codec {
	b.Helper()
	c := testkit.Value(New(make([]byte, MinSecret)))(b)
	return c
}

func BenchmarkEncode(b *testing.B) {
	l := ListOf(benchCodec(b), Comments, benchScope)
	b.ReportAllocs()
	for b.Loop() {
		testkit.Value(l.Encode(benchPosition))(b)
	}
}

func BenchmarkDecode(b *testing.B) {
	l := ListOf(benchCodec(b), Comments, benchScope)
	token := testkit.Value(l.Encode(benchPosition))(b)
	b.ReportAllocs()
	for b.Loop() {
		testkit.Value(l.Decode(token))(b)
	}
	b.ReportMetric(float64(len(token)), "characters")
}
