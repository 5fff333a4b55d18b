package transfer

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/files/progress"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// progressOutput shows the progress of an import. Errors of its output are ignored.
type progressOutput struct {
	progress.Options
	name string
	size int64 // bytes, -1 if unknown
	bar  *progress.Bar
}

func shownName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// resumed reports that an earlier import completed the first lines, or all of them.
func (s *progressOutput) resumed(name string, c checkpoint) {
	if c.Done {
		s.Printf("%s: an earlier import has completed all of its %s", shownName(name), ofLines(c.Lines))
		return
	}
	s.Printf("%s: continuing after line %s, where an import stopped at %s", shownName(name), humanize.Comma(c.Lines),
		c.Saved.Format(time.RFC3339))
}

func (s *progressOutput) begin(name string, size int64) {
	s.name, s.size = shownName(name), size
	on := s.Options
	if size == 0 { // nothing to do
		on.To = io.Discard
	}
	s.bar = on.Begin(progress.Work{Name: s.name, Unit: "lines", Total: max(0, size), Bytes: size > 0})
}

// update shows the compressed bytes and the counts of written lines.
func (s *progressOutput) update(position int64, c Counts) {
	done := fmt.Sprintf("%s, %s refused", ofLines(c.Lines), humanize.Comma(c.Refused))
	if s.size > 0 {
		s.bar.SetText(min(position, s.size), done)
	} else {
		s.bar.SetText(c.Lines, done)
	}
}

// The pauses between attempts: the first, and the longest.
const (
	firstPause = time.Second
	mostPause  = 30 * time.Second
)

// insist calls do again, and says so, while the store does not answer, until the context ends or
// patience does. It returns the last error of do.
func (s *progressOutput) insist(ctx context.Context, do func() error) error {
	for pause, began := firstPause, time.Now(); ; pause = min(2*pause, mostPause) {
		err := do()
		if errs.CodeOf(err) != errs.Unavailable || ctx.Err() != nil || time.Since(began)+pause > patience {
			return err
		}
		s.bar.Say(fmt.Sprintf("%s: %v; trying again in %s", s.name, err, pause.Round(time.Millisecond)))
		if table.Sleep(ctx, pause) != nil {
			return err
		}
	}
}

// end ends the bar's line, and reports ignored parts and the rejects file.
func (s *progressOutput) end(complete bool, sum FileSummary, sheet bool) {
	s.bar.End(complete)
	sum.report(sheet, func(format string, args ...any) { s.Printf(s.name+": "+format, args...) })
	if sum.Refused > 0 {
		s.Printf("%s: %s refused, see %s", s.name, humanize.Comma(sum.Refused), sum.Rejects)
	}
	if sum.PicturesRefused > 0 {
		s.Printf("%s: %s refused, see %s; their comments are imported without them", s.name, progress.Counted(sum.PicturesRefused, "picture"), sum.Rejects)
	}
	if sum.PicturesLeftOut > 0 {
		s.Printf("%s: %s left out: --photos says where photos are, and --fetch-photos downloads pictures that have a url", s.name, progress.Counted(sum.PicturesLeftOut, "picture"))
	}
}

// Counts are the outcomes of a file's lines. Every line that is not blank is written, replaced or
// refused:
//
//	Written    there was no comment with its id
//	Replaced   there was one, in the table or on an earlier line; of several lines
//	with one id, the last one stays
//	Unchanged  counted within Replaced: the comment was the same, nothing was written
//	Refused    the line went to the rejects file
//	Nulls      cells of CSV with a null marker, which were read as empty
//
// An import that continues after it was killed can count comments as unchanged that it wrote
// itself just before.
type Counts struct {
	Lines     int64 `json:"lines"` // including blank ones
	Written   int64 `json:"written"`
	Replaced  int64 `json:"replaced"`
	Unchanged int64 `json:"unchanged"`
	Refused   int64 `json:"refused"`
	Nulls     int64 `json:"nulls,omitempty"`
	// Pictures that were copied, refused, or left out for want of a flag.
	Pictures        int64 `json:"pictures,omitempty"`
	PicturesRefused int64 `json:"picturesRefused,omitempty"`
	PicturesLeftOut int64 `json:"picturesLeftOut,omitempty"`
}

func (c *Counts) add(more Counts) {
	c.Lines += more.Lines
	c.Written += more.Written
	c.Replaced += more.Replaced
	c.Unchanged += more.Unchanged
	c.Refused += more.Refused
	c.Nulls += more.Nulls
	c.Pictures += more.Pictures
	c.PicturesRefused += more.PicturesRefused
	c.PicturesLeftOut += more.PicturesLeftOut
}

// String returns text such as "3490 written, 2 replaced (1 of them unchanged), 0 refused".
func (c Counts) String() string {
	s := fmt.Sprintf("%d written, %d replaced (%d of them unchanged), %d refused", c.Written, c.Replaced, c.Unchanged, c.Refused)
	if c.Nulls > 0 {
		s += fmt.Sprintf("; %s with a null marker read as empty", progress.Counted(c.Nulls, "cell"))
	}
	if c.Pictures+c.PicturesRefused > 0 {
		s += fmt.Sprintf("; %s copied, %d refused", progress.Counted(c.Pictures, "picture"), c.PicturesRefused)
	}
	return s
}

// FileSummary is the result of one file.
type FileSummary struct {
	Name string // as given
	Counts
	ResumedAfter int64  // the last line of an earlier import, 0 if there is none
	Rejects      string // the file with the refused lines, empty if there are none

	notes
}

// Summary is the result of all files. The embedded Counts are the sum.
type Summary struct {
	Counts
	Files []FileSummary // files that were started
}

func ofLines(n int64) string { return progress.Counted(n, "line") }

// notes count the lines with members that are ignored, or that nothing is known of.
type notes struct {
	Unknown     names `json:"unknown,omitempty"`     // lines with an unknown member, including refused lines
	Undefined   names `json:"undefined,omitempty"`   // lines with an attribute that has no definition
	Undescribed int64 `json:"undescribed,omitempty"` // lines with attributes whose products have no definitions
}

func (n *notes) add(more notes) {
	n.Undescribed += more.Undescribed
	for _, name := range slices.Sorted(maps.Keys(more.Unknown)) {
		n.Unknown.add(name, more.Unknown[name])
	}
	for _, key := range slices.Sorted(maps.Keys(more.Undefined)) {
		n.Undefined.add(key, more.Undefined[key])
	}
}

// names count lines by the name of something in them.
type names map[string]int64

const (
	maxUnknown  = 100 // different names; others are counted together
	longestName = 100 // characters of a name
	otherNames  = ""  // stands for all other names
)

func (u *names) add(name string, n int64) {
	name = item.Printable(name)
	if r := []rune(name); len(r) > longestName {
		name = string(r[:longestName]) + "…"
	}
	if _, known := (*u)[name]; !known && len(*u) >= maxUnknown {
		name = otherNames
	}
	if *u == nil {
		*u = names{}
	}
	(*u)[name] += n
}

// report prints a sentence for each name of an unknown member, or column of a sheet, the most
// frequent first, and for each undefined attribute.
func (n *notes) report(sheet bool, say func(format string, args ...any)) {
	frequent := slices.SortedFunc(maps.Keys(n.Unknown), func(a, b string) int {
		return cmp.Or(cmp.Compare(n.Unknown[b], n.Unknown[a]), cmp.Compare(a, b))
	})
	for _, name := range frequent {
		lines := ofLines(n.Unknown[name]) + " with a member"
		if sheet {
			lines = progress.Counted(n.Unknown[name], "row") + " with a value in the column"
		}
		if name == otherNames {
			say("%s of another name, which is unknown, so it is ignored", lines)
			continue
		}
		say("%s %q, which is unknown, so it is ignored%s", lines, name, ndjson.Meant(name))
	}
	for _, key := range slices.Sorted(maps.Keys(n.Undefined)) {
		if key == otherNames {
			say("%s with other undefined attributes: their values are stored", ofLines(n.Undefined[key]))
			continue
		}
		say("%s with an undefined attribute %q: its values are stored, and visible once it is defined",
			ofLines(n.Undefined[key]), key)
	}
	if n.Undescribed > 0 {
		say("%s with attributes of products without definitions: their values are stored, and visible once they are defined; --infer-attributes defines them", ofLines(n.Undescribed))
	}
}
