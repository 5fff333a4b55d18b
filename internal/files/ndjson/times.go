package ndjson

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"product-comments/store/errs"
)

// Dates resolves ambiguous times: the order of day and month in 02/03/2025, or the unit of a
// number.
type Dates string

// What may be said about dates.
const (
	DatesUnknown     Dates = "" // such dates are refused
	DayFirst         Dates = "day-first"
	MonthFirst       Dates = "month-first"
	UnixSeconds      Dates = "unix"
	UnixMilliseconds Dates = "unix-ms"
	SpreadsheetDays  Dates = "spreadsheet" // days since 1899-12-30
)

// Layouts of days: unambiguous ones, and two groups for the two orders of day and month.
var (
	dayLayouts = []string{"2006-1-2", "2006/1/2", "2006.1.2", "20060102", "2006-Jan-2", "2006 Jan 2",
		"2 Jan 2006", "2 Jan, 2006", "2-Jan-2006", "2/Jan/2006", "Jan 2, 2006", "Jan 2 2006"}
	dayFirstLayouts   = []string{"2/1/2006", "2.1.2006", "2-1-2006"}
	monthFirstLayouts = []string{"1/2/2006", "1.2.2006", "1-2-2006"}
)

// The parts of a time in capital letters.
var (
	digits  = regexp.MustCompile(`^[0-9]{1,15}(?:[.,][0-9]{1,15})?$`)
	compact = regexp.MustCompile(`^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})`)
	ordinal = regexp.MustCompile(`\b([0-9]{1,2})(?:ST|ND|RD|TH)\b`)
	month   = regexp.MustCompile(`\b(JAN|FEB|MAR|APR|JUN|JUL|AUG|SEP|OCT|NOV|DEC)` +
		`(?:UARY|RUARY|CH|IL|E|Y|UST|T|TEMBER|OBER|EMBER)?\b\.?`)
	weekday = regexp.MustCompile(`^(MON|TUE|WED|THU|FRI|SAT|SUN)(?:S|SDAY|NESDAY|RS|RSDAY|URDAY|DAY)?\.?,? `)
	clock   = regexp.MustCompile(`^(.+?)(?:T|,? (?:AT )?)([0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?)` +
		`(?: ?([AP])\.?M\b\.?)?(.*)$`)
	// A name after an offset, such as CET, adds nothing to it. Unix puts the year last.
	zone = regexp.MustCompile(`^ ?(?:(?:Z|UTC|GMT|UT)?(?:\[.*\])?|(?:UTC|GMT|UT)? ?([+-])([0-9]{1,2})(?::?([0-5][0-9]))?` +
		`(?: ?\(.*\)| ?\[.*\]| ([A-Z]{3,5}))?)( [0-9]{4})?$`)
)

// maxOffset is the maximum of a time zone's hours from UTC.
const maxOffset = 14

// ParseTime parses a time as programs and people write it. Without a time zone it is UTC, without
// a time of day midnight. It returns a BadUserInput error for a time with several meanings or none.
func ParseTime(field, text string, dates Dates) (at time.Time, err error) {
	s := strings.ToUpper(strings.Join(strings.Fields(text), " "))
	if digits.MatchString(s) {
		if at, counts, err := parseCount(field, s, dates); counts || err != nil {
			return at, err
		}
	}
	s = compact.ReplaceAllString(s, "$1-$2-${3}T$4:$5:$6")
	named := weekday.FindStringSubmatch(s)
	if named != nil {
		s = s[len(named[0]):]
	}
	layout, in := "", time.UTC
	if parts := clock.FindStringSubmatch(s); parts != nil {
		rest := zone.FindStringSubmatch(parts[4])
		if rest == nil {
			return at, errs.Invalid(field,
				"%.40q ends in a time zone without an offset: write the offset, such as -05:00, or Z", text)
		}
		away, _ := time.ParseDuration("0" + rest[2] + "h0" + rest[3] + "m") // digits only
		if away >= (maxOffset+1)*time.Hour || away > 0 && (rest[4] == "UTC" || rest[4] == "GMT") {
			return at, errs.Invalid(field, "%.40q has an impossible offset: zones are at most %d hours from UTC",
				text, maxOffset)
		}
		if rest[1] == "-" {
			away = -away
		}
		in = time.FixedZone("", int(away.Seconds()))
		layout, s = " 15:04:05"[:3+3*strings.Count(parts[2], ":")], parts[1]+rest[5]+" "+parts[2]
		if parts[3] != "" {
			layout, s = strings.Replace(layout, "15", "3", 1)+"PM", s+parts[3]+"M"
		}
	}
	s = month.ReplaceAllString(ordinal.ReplaceAllString(s, "$1"), "$1")
	parse := func(days []string) (time.Time, bool) {
		for _, day := range days {
			at, err := time.ParseInLocation(day+layout, s, in)
			if err == nil && (named == nil || strings.EqualFold(at.Weekday().String()[:3], named[1])) {
				return at, true
			}
		}
		return time.Time{}, false
	}
	if at, ok := parse(dayLayouts); ok {
		return at, nil
	}
	byDay, dayOK := parse(dayFirstLayouts)
	byMonth, monthOK := parse(monthFirstLayouts)
	switch one := !dayOK || !monthOK || byDay.Equal(byMonth); {
	case dayOK && (dates == DayFirst || dates != MonthFirst && one):
		return byDay, nil
	case monthOK && (dates == MonthFirst || dates != DayFirst && one):
		return byMonth, nil
	case !one:
		return at, errs.Invalid(field,
			"%.40q is ambiguous: say whether the day or the month is first, with --dates %s or %s",
			text, DayFirst, MonthFirst)
	}
	return at, errs.Invalid(field,
		"%.40q is not a time such as 2026-06-30T12:00:00Z, 2026-06-30 12:00:00 or 2026-06-30", text)
}

// parseCount parses a number as a time. It reports false for one such as 20250302, unless numbers
// are said to count something.
func parseCount(field, s string, dates Dates) (at time.Time, counts bool, err error) {
	since, unit, exact := time.Unix(0, 0), time.Second, time.Nanosecond
	switch dates {
	case UnixSeconds:
	case UnixMilliseconds:
		unit = time.Millisecond
	case SpreadsheetDays: // the time of day is a rounded fraction
		since, unit, exact = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC), 24*time.Hour, time.Millisecond
	default:
		if len(s) == len("20060102") && strings.Trim(s, "0123456789") == "" {
			return at, false, nil
		}
		return at, false, errs.Invalid(field,
			"%q is a number: say what it counts, with --dates %s (seconds), %s or %s (days)",
			s, UnixSeconds, UnixMilliseconds, SpreadsheetDays)
	}
	n, _ := new(big.Rat).SetString(strings.Replace(s, ",", ".", 1)) // digits only
	n.Mul(n, big.NewRat(int64(unit/exact), 1))
	steps, _ := new(big.Int).SetString(n.FloatString(0), 10)
	if steps.Cmp(big.NewInt(math.MaxInt64/int64(exact))) > 0 {
		return at, false, errs.Invalid(field, "%q is later than any comment: --dates %s is not what it counts",
			s, dates)
	}
	return since.Add(time.Duration(steps.Int64()) * exact).UTC(), true, nil
}
