package cache

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes as flags and environment variables spell it: 0, 512B,
// 64MB or 64MiB. KB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024. A
// number without a unit, other than 0, may mean anything and is refused.
type Size int64

var units = map[string]int64{
	"b":  1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	spelled := strings.TrimSpace(string(text))
	digits := strings.TrimRight(spelled, "BbGgIiKkMm")
	unit, ok := units[strings.ToLower(spelled[len(digits):])]
	n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 63)
	if digits == spelled && err == nil {
		if n != 0 {
			return fmt.Errorf("%q has no unit: write %[2]dMiB for mebibytes or %[2]dB for bytes", spelled, n)
		}
		unit, ok = 1, true
	}
	if !ok || err != nil || int64(n) > math.MaxInt64/unit {
		return fmt.Errorf("%q is not a size: write a number and a unit, such as 64MB, 64MiB or 512B", spelled)
	}
	*s = Size(int64(n) * unit)
	return nil
}
