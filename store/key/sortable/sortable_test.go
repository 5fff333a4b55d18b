package sortable_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key/sortable"
)

// same demands that two values are in the order of their encodings, whatever
// follows these, and that each is read back.
func same[T any](t *rapid.T, a, b T, compare func(a, b T) int, encode func(T) []byte, decoded func(sortable.Value) T) {
	x, y := encode(a), encode(b)
	if got, want := bytes.Compare(x, y), compare(a, b); got != cmp.Compare(want, 0) {
		t.Fatalf("%v and %v are spelled %x and %x", a, b, x, y)
	}
	more := rapid.SliceOfN(rapid.Byte(), 0, 5)
	p, q := more.Draw(t, "behind a"), more.Draw(t, "behind b")
	if got, want := bytes.Compare(append(x, p...), append(y, q...)), compare(a, b); want != 0 && got != cmp.Compare(want, 0) {
		t.Fatalf("what follows decides about %v and %v", a, b)
	}
	v, rest, ok := sortable.Decode(append(encode(a), p...))
	if !ok || !bytes.Equal(rest, p) || compare(decoded(v), a) != 0 {
		t.Fatalf("%v came back as %v, %v, with %x behind it", a, decoded(v), ok, rest)
	}
}

// drawNumber draws numbers of all sizes, and such that differ little.
func drawNumber(t *rapid.T, name string) sortable.Number {
	spelled := rapid.StringMatching(`-?[0-9]{1,19}(\.[0-9]{0,19})?(e-?[0-9]{1,2})?|-?[0-9](\.[0-9]{0,37})?e-?(1[01][0-9]|[0-9]{1,2})|-?[12]|-?0(\.0{1,9}[12]?)?`).Draw(t, name)
	n, err := sortable.ParseNumber(spelled)
	testkit.Need(t, err == nil, "%s: %v", spelled, err)
	want, _ := new(big.Rat).SetString(spelled)
	testkit.Need(t, rational(n).Cmp(want) == 0, "%s became %s", spelled, n)
	return n
}

func rational(n sortable.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(n.String())
	return r
}

func TestNumbersAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber(t, "a"), drawNumber(t, "b")
		same(t, a, b, func(a, b sortable.Number) int { return rational(a).Cmp(rational(b)) },
			func(n sortable.Number) []byte { return sortable.AppendNumber(nil, n) },
			func(v sortable.Value) sortable.Number { return v.Number })
		digit, exponent := a.Leading()
		power, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", exponent))
		whole := power.Quo(rational(a), power)
		testkit.Need(t, new(big.Int).Quo(whole.Num(), whole.Denom()).Int64() == int64(digit), "%s begins with %d e%d", a, digit, exponent)
	})
}

// Numbers in ascending order, at the limits of DynamoDB and close to each other.
func TestNumbersAtTheLimits(t *testing.T) {
	nines := strings.Repeat("9", sortable.MaxDigits)
	var before []byte
	for _, s := range []string{
		"-9." + nines[1:] + "e125", "-9.9e125", "-1e125", "-" + nines, "-100", "-99", "-10", "-9.5", "-9", "-1.1", "-1.01", "-1", "-0.1", "-1e-129", "-1.1e-130", "-1e-130",
		"0", "1e-130", "1.1e-130", "1e-129", "0.1", "1", "1.01", "1.1", "9", "9.5", "10", "99", "100", nines, "1e125", "9.9e125", "9." + nines[1:] + "e125",
	} {
		n, err := sortable.ParseNumber(s)
		testkit.Need(t, err == nil, "%s: %v", s, err)
		encoded := sortable.AppendNumber(nil, n)
		testkit.Check(t, bytes.Compare(before, encoded) < 0, "%s is not above the one before it", s)
		v, rest, ok := sortable.Decode(encoded)
		testkit.Check(t, ok && len(rest) == 0 && v.Number == n && len(encoded) <= 22, "%s came back as %v, in %d bytes", s, v.Number, len(encoded))
		before = encoded
	}
}

func TestNumbersHaveOneForm(t *testing.T) {
	for s, want := range map[string]string{
		"-0": "0", "0e999999999999": "0", "00.10": "0.1", "+5.": "5", ".5": "0.5", "1E+2": "100", "120e-1": "12", "-0.0": "0", "1e20": "100000000000000000000",
		"1e21": "1e21", "-1.5e-30": "-1.5e-30", "3.0": "3", "0.000001": "0.000001",
	} {
		n, err := sortable.ParseNumber(s)
		testkit.Check(t, err == nil && n.String() == want, "%s became %s, %v, want %s", s, n, err, want)
	}
	for s, want := range map[string]error{
		"": sortable.ErrNotANumber, "-": sortable.ErrNotANumber, ".": sortable.ErrNotANumber, "1e": sortable.ErrNotANumber, "1e+-2": sortable.ErrNotANumber,
		"--1": sortable.ErrNotANumber, "1.2.3": sortable.ErrNotANumber, "NaN": sortable.ErrNotANumber, " 1": sortable.ErrNotANumber, "1_000": sortable.ErrNotANumber,
		"1e126": sortable.ErrOutOfRange, "1e-131": sortable.ErrOutOfRange, "1e99999999999999999999": sortable.ErrOutOfRange,
		"1" + strings.Repeat("0", 37) + "1": sortable.ErrTooPrecise,
	} {
		n, err := sortable.ParseNumber(s)
		testkit.Check(t, err == want, "%q became %s, %v, want %v", s, n, err, want)
	}
	if n, _ := sortable.ParseNumber("-12.5e3"); n.Float() != -12500 {
		t.Errorf("a float of %v", n.Float())
	}
}

func TestDatesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) time.Time {
			seconds := rapid.Int64Range(sortable.MinDate.Unix(), sortable.MaxDate.Unix()).Draw(t, name)
			return time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, name)).UTC()
		}
		a := draw("a")
		b := rapid.SampledFrom([]time.Time{a, draw("b"), time.Unix(a.Unix(), 0).UTC()}).Draw(t, "which")
		same(t, a, b, time.Time.Compare, func(d time.Time) []byte { return sortable.AppendDate(nil, d) }, func(v sortable.Value) time.Time { return v.Date })
	})
	for _, d := range []time.Time{sortable.MinDate, sortable.MaxDate} {
		v, _, ok := sortable.Decode(sortable.AppendDate(nil, d))
		testkit.Check(t, ok && v.Date.Equal(d), "%v came back as %v", d, v.Date)
	}
}

func TestBooleansAndChoicesAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		position := rapid.IntRange(0, sortable.MaxChoice)
		same(t, position.Draw(t, "a"), position.Draw(t, "b"), cmp.Compare[int],
			func(p int) []byte { return sortable.AppendChoice(nil, p) }, func(v sortable.Value) int { return v.Choice })
		number := map[bool]int{true: 1}
		same(t, rapid.Bool().Draw(t, "a"), rapid.Bool().Draw(t, "b"), func(a, b bool) int { return number[a] - number[b] },
			func(b bool) []byte { return sortable.AppendBoolean(nil, b) }, func(v sortable.Value) bool { return v.Boolean })
	})
}

// orders are of the languages that texts are compared in.
var orders = map[string]*sortable.Order{
	"binary": sortable.Binary, "de": sortable.OrderOf(language.German), "sv": sortable.OrderOf(language.Swedish), "ja": sortable.OrderOf(language.Japanese), "und": sortable.OrderOf(language.Und),
}

// drawText draws texts that are alike, some with accents, of several scripts, and
// some too long.
func drawText(t *rapid.T, name string) string {
	s := rapid.StringOfN(rapid.SampledFrom([]rune("aAbzäÄåzßoöñ é-019\x00\u0301Ωж日本語한가😀\uffff")), 0, 12, -1).Draw(t, name)
	return strings.Repeat(s, rapid.SampledFrom([]int{1, 1, 1, 40}).Draw(t, name+" repeated"))
}

func TestTextsAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := orders[rapid.SampledFrom([]string{"binary", "de", "ja", "sv", "und"}).Draw(t, "order")]
		a, b := drawText(t, "a"), drawText(t, "b")
		x, y := o.AppendText(nil, a), o.AppendText(nil, b)
		v, rest, ok := sortable.Decode(append(bytes.Clone(x), "behind"...))
		if !ok || string(rest) != "behind" || !v.Cut && v.Text != a || !strings.HasPrefix(a, v.Text) || len(x) > sortable.MaxSize {
			t.Fatalf("%q came back as %q, cut: %v, %v", a, v.Text, v.Cut, ok)
		}
		testkit.Need(t, !v.Cut || len([]rune(a)) >= 30, "%q was cut", a)
		w, _, _ := sortable.Decode(y)
		switch want, got := o.Compare(a, b), bytes.Compare(x, y); {
		case got == cmp.Compare(want, 0):
		case got == 0 && v.Cut && w.Cut: // alike as far as they are kept
		default:
			t.Fatalf("%q and %q compare to %d, spelled they do to %d", a, b, want, got)
		}
	})
}

// What every reader of a language knows.
func TestTextsAreInTheOrderOfALanguage(t *testing.T) {
	for name, words := range map[string][]string{
		"de":     {"Affe", "Äpfel", "Apfelmus", "arm", "Zange"},
		"sv":     {"Affe", "Zange", "Ånge", "Äpple", "Öland"},
		"binary": {"Affe", "Zange", "arm", "Äpfel"},
	} {
		for i := range words[1:] {
			if a, b := orders[name].AppendText(nil, words[i]), orders[name].AppendText(nil, words[i+1]); bytes.Compare(a, b) >= 0 {
				t.Errorf("%s: %s does not come before %s", name, words[i], words[i+1])
			}
		}
	}
}

// Whatever is read is spelled as read, or refused.
func FuzzDecode(f *testing.F) {
	n, _ := sortable.ParseNumber("-12.5")
	for _, b := range [][]byte{sortable.AppendNumber(nil, n), sortable.AppendDate(nil, sortable.MaxDate), sortable.AppendChoice(nil, 3), sortable.Binary.AppendText(nil, "a\x00b"), {0x12, 0, 0}} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, ok := sortable.Decode(b)
		if !ok {
			return
		}
		var again []byte
		switch v.Kind {
		case sortable.KindNumber:
			again = sortable.AppendNumber(nil, v.Number)
		case sortable.KindBoolean:
			again = sortable.AppendBoolean(nil, v.Boolean)
		case sortable.KindChoice:
			again = sortable.AppendChoice(nil, v.Choice)
		case sortable.KindDate:
			again = sortable.AppendDate(nil, v.Date)
		default:
			return // weights are not made again, and what was cut is lost
		}
		testkit.Need(t, string(again)+string(rest) == string(b), "%x was read as %+v, which is %x", b, v, again)
	})
}
