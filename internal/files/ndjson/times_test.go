package ndjson

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// A spelling that names one instant is read as that instant, and every other one is refused.
func TestTimes(t *testing.T) {
	for spelled, want := range map[string]string{
		"2025-03-02":                             "2025-03-02T00:00:00Z",
		"2025-3-2":                               "2025-03-02T00:00:00Z",
		"2025/03/02":                             "2025-03-02T00:00:00Z",
		"2025.03.02":                             "2025-03-02T00:00:00Z",
		"20250302":                               "2025-03-02T00:00:00Z",
		"2025-Mar-02":                            "2025-03-02T00:00:00Z",
		"Mar 2, 2025":                            "2025-03-02T00:00:00Z",
		"March 2nd, 2025":                        "2025-03-02T00:00:00Z",
		"Sept. 3, 2025":                          "2025-09-03T00:00:00Z",
		"02-Mar-2025":                            "2025-03-02T00:00:00Z",
		"2 march 2025":                           "2025-03-02T00:00:00Z",
		"13/03/2025":                             "2025-03-13T00:00:00Z",
		"03/13/2025":                             "2025-03-13T00:00:00Z",
		"03.03.2025":                             "2025-03-03T00:00:00Z",
		"2025-03-02T10:12Z":                      "2025-03-02T10:12:00Z",
		"2025-03-02t10:12:00z":                   "2025-03-02T10:12:00Z",
		" 2025-03-02  10:12 ":                    "2025-03-02T10:12:00Z",
		"2025-03-02 1:02":                        "2025-03-02T01:02:00Z",
		"2025-03-02T10:12:00.5-04:00":            "2025-03-02T14:12:00.5Z",
		"2025-03-02 10:12:00,25":                 "2025-03-02T10:12:00.25Z",
		"2025-03-02T10:12:00+0000":               "2025-03-02T10:12:00Z",
		"2025-03-02 10:12:00+00":                 "2025-03-02T10:12:00Z",
		"2025-03-02 10:12:00.123456+00":          "2025-03-02T10:12:00.123456Z",
		"2025-03-02 10:12:00 +0200":              "2025-03-02T08:12:00Z",
		"2025-03-02 10:12:00 -0330":              "2025-03-02T13:42:00Z",
		"2025-03-02 10:12:00 UTC":                "2025-03-02T10:12:00Z",
		"2025-03-02 10:12:00 gmt":                "2025-03-02T10:12:00Z",
		"2025-03-02 10:12:00 GMT+2":              "2025-03-02T08:12:00Z",
		"2025-03-02 10:12:00 UTC+01:00":          "2025-03-02T09:12:00Z",
		"2025-03-02 10:12:00 UTC-5":              "2025-03-02T15:12:00Z",
		"2025-03-02 10:12:00 +0100 CET":          "2025-03-02T09:12:00Z",
		"2025-03-02 10:12:00 +0000 UTC":          "2025-03-02T10:12:00Z",
		"2025-03-02T10:12:00+01:00[Europe/Rome]": "2025-03-02T09:12:00Z",
		"20250302T101200Z":                       "2025-03-02T10:12:00Z",
		"20250302T101200-0500":                   "2025-03-02T15:12:00Z",
		"Sun, 02 Mar 2025 10:12:00 GMT":          "2025-03-02T10:12:00Z",
		"Sunday, 2 March 2025 10:12":             "2025-03-02T10:12:00Z",
		"Sun Mar  2 10:12:00 2025":               "2025-03-02T10:12:00Z",
		"Sun Mar  2 10:12:00 UTC 2025":           "2025-03-02T10:12:00Z",
		"Sun Mar 02 2025 10:12:00 GMT+0200 (Eastern European Standard Time)": "2025-03-02T08:12:00Z",
		"Mar 2, 2025 10:12 AM":         "2025-03-02T10:12:00Z",
		"Mar 2, 2025 at 10:12:13 p.m.": "2025-03-02T22:12:13Z",
		"2025-03-02 12:00:30 am -0100": "2025-03-02T01:00:30Z",

		"":                              "is not a time",
		"yesterday":                     "is not a time",
		"2025-02-30":                    "is not a time",
		"2025-13-01":                    "is not a time",
		"32/13/2025":                    "is not a time",
		"2025-03":                       "is not a time",
		"02-Mar-25":                     "is not a time",
		"2/3/25":                        "is not a time",
		"2025-03-0210:12":               "is not a time",
		"2025-03-02 24:00":              "is not a time",
		"2025-03-02 10:60":              "is not a time",
		"2025-03-02 13:12 PM":           "is not a time",
		"Mon, 02 Mar 2025 10:12:00 GMT": "is not a time", // it was a Sunday
		"2025-03-02 10:12:00 2025":      "is not a time",
		"02/03/2025":                    "ambiguous: say whether the day or the month is first",
		"2-3-2025 10:12":                "ambiguous: say whether the day or the month is first",
		"1740910320":                    "is a number: say what it counts, with --dates unix (seconds)",
		"1740910320.5":                  "is a number",
		"45718":                         "is a number",
		"1.74091E+12":                   "is not a time",
		"2025-03-02 10:12:00 EST":       "time zone without an offset: write the offset",
		"2025-03-02 10:12:00 RST":       "time zone without an offset",
		"2025-03-02 10:12:00 CET 2025":  "time zone without an offset",
		"2025-03-02 10:12:00 EST+5":     "time zone without an offset",
		"2025-03-02 10:12:00 Etc/GMT+2": "time zone without an offset",
		"2025-03-02T10:12:00Z tomorrow": "time zone without an offset",
		"2025-03-02T10:12:00Z+02:00":    "time zone without an offset",
		"2025-03-02 10:12:00 +0200 UTC": "impossible offset",
		"2025-03-02 10:12:00 +15:00":    "impossible offset",
		"2025-03-02 10:12:00 GMT+99":    "impossible offset",
		"2025-03-02 10:12:00 +02:60":    "time zone without an offset",
	} {
		checkTime(t, spelled, DatesUnknown, want)
	}
	for _, test := range []struct {
		spelled string
		dates   Dates
		want    string
	}{
		{"02/03/2025", DayFirst, "2025-03-02T00:00:00Z"},
		{"2.3.2025 10:12 +01:00", DayFirst, "2025-03-02T09:12:00Z"},
		{"02/03/2025", MonthFirst, "2025-02-03T00:00:00Z"},
		{"2/3/2025 10:12:00 PM", MonthFirst, "2025-02-03T22:12:00Z"},
		{"13/03/2025", MonthFirst, "is not a time"},
		{"03/13/2025", DayFirst, "is not a time"},
		{"2025-03-02", MonthFirst, "2025-03-02T00:00:00Z"},
		{"1740910320", UnixSeconds, "2025-03-02T10:12:00Z"},
		{"1740910320.123456789", UnixSeconds, "2025-03-02T10:12:00.123456789Z"},
		{"1740910320123", UnixMilliseconds, "2025-03-02T10:12:00.123Z"},
		{"45718", SpreadsheetDays, "2025-03-02T00:00:00Z"},
		{"45718.425", SpreadsheetDays, "2025-03-02T10:12:00Z"},
		{"45718,4251157407", SpreadsheetDays, "2025-03-02T10:12:10Z"},
		{"2025-03-02", SpreadsheetDays, "2025-03-02T00:00:00Z"},
		{"20250302", UnixSeconds, "1970-08-23T09:05:02Z"},
		{"02/03/2025", UnixSeconds, "ambiguous"},
		{"1740910320000", UnixSeconds, "is later than any comment: --dates unix"},
		{"1740910320", SpreadsheetDays, "is later than any comment: --dates spreadsheet"},
		{"-5", UnixSeconds, "is not a time"},
	} {
		checkTime(t, test.spelled, test.dates, test.want)
	}
}

func checkTime(t *testing.T, spelled string, dates Dates, want string) {
	t.Helper()
	at, err := ParseTime("when", spelled, dates)
	if got := at.UTC().Format(time.RFC3339Nano); err == nil {
		testkit.Equal(t, got, want, "%q %s", spelled, dates)
		return
	}
	var coded *errs.Error
	testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == "when" && strings.Contains(coded.Message, want), "%q %s: %v, want %s", spelled, dates, err, want)
}

// Each way of writing a time, with each way of writing its zone, comes back as the same instant.
func TestTimesComeBack(t *testing.T) {
	days := []string{"2006-01-02", "2006/1/2", "Jan 2, 2006", "January 2 2006", "2 Jan 2006", "02-Jan-2006", "Monday, 2 January 2006", "20060102"}
	clocks := []string{"T15:04:05", " 15:04:05", " 3:04:05 PM", ", 3:04:05pm", " at 15:04:05"}
	zones := []string{"Z07:00", " -0700", " -07:00", " GMT-0700", " UTC-07:00", "-07:00"}
	rapid.Check(t, func(t *rapid.T) {
		in := time.FixedZone("", 900*rapid.IntRange(-14*4, 14*4).Draw(t, "offset"))
		at := time.Unix(rapid.Int64Range(0, 7_000_000_000).Draw(t, "second"), 0).In(in)
		layout := rapid.SampledFrom(days).Draw(t, "day") + rapid.SampledFrom(clocks).Draw(t, "clock") + rapid.SampledFrom(zones).Draw(t, "zone")
		layout = strings.NewReplacer("PMZ", "PM Z", "pmZ", "pm Z").Replace(layout) // AMZ would be a zone
		got, err := ParseTime("when", at.Format(layout), DatesUnknown)
		testkit.Need(t, err == nil && got.Equal(at), "%s was read as %v, %v", at.Format(layout), got, err)
	})
}
