package model

// The enums that no other package has. Values in requests are checked by package document, so the
// types need no methods.
type (
	ClearableField   string // a field of a comment that can be removed
	LeaderboardOrder string // what products are ranked by
	OrderDirection   string // the direction of an order
	PartitionRole    string // the role of a partition in a plan
	TimeUnit         string // a part of the calendar, in UTC
)

// The values of the enums.
const (
	ClearableFieldTitle       ClearableField   = "TITLE"
	ClearableFieldText        ClearableField   = "TEXT"
	LeaderboardOrderFiveStars LeaderboardOrder = "FIVE_STARS"
	LeaderboardOrderScore     LeaderboardOrder = "SCORE"
	OrderDirectionAsc         OrderDirection   = "ASC"
	OrderDirectionDesc        OrderDirection   = "DESC"
	PartitionRoleRead         PartitionRole    = "READ"
	PartitionRoleFallback     PartitionRole    = "FALLBACK"
	TimeUnitYear              TimeUnit         = "YEAR"
	TimeUnitMonth             TimeUnit         = "MONTH"
	TimeUnitDay               TimeUnit         = "DAY"
)
