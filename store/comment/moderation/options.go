package moderation

// Options configure a shop's moderation. The zero value publishes every comment at once.
type Options struct {
	Mode  Mode
	Rules Rules
	// Reports is the number of reports that return a comment to a moderator in mode Post;
	// DefaultReports if zero.
	Reports int
	// ReportPace is the maximum number of a user's reports within an hour; 0 for no limit.
	ReportPace int
}

// DefaultReports is the default of Options.Reports.
const DefaultReports = 3

// MaxPace is the greatest limit of a person's comments, or reports, within an hour.
const MaxPace = 1000
