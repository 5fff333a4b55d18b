// Package store has the verbs of comments: create, update, delete, import, get
// and read a page. Its subpackages have everything else; this package combines them.
//
// # Access patterns
//
// Where there is a figure it is what a page of 20, or the one item, takes in read units,
// which TestCosts holds.
//
//	AP1        all comments of a product, newest first      index all, PRODUCT#42
//	AP2        one language                                 index byLang, PRODUCT#42/en
//	AP3        some ratings, of one language or of any      byLangAndRating, byRating: a query each, merged
//	AP4, AP5   one comment: get, delete                     PK = SK = COMMENT#100001
//	AP6        page through any of them                     every partition resumes at the cursor's position
//	AP7, AP9   counts by rating, in all                     PK = PRODUCT#42, SK = S
//	AP8, AP10  the same for one language                    SK = S#en
//	           a user's comments about a product            PK = USER#alice, SK from WROTE#42# on
//	AP11       products with most 5-rated comments          byLangAndRating, LEADERS or LEADERS#en
//	AP12       comments by the value of an attribute        columns table, COLUMN#42/A/size
//	           comments by buyers alone                     as AP1 to AP3, filtered by vp
//	           a user's comments of a state, by time        PK = USER#alice, SK from COMMENT#PENDING# on                       21
//	           the same of any state                        as before, a query for each of four, merged                        24
//	           what waits for moderators, oldest first      all, byLang, byRating, byLangAndRating: QUEUE#PENDING/…/3, merged  24
//	           how many wait                                PK = CASES#0 to CASES#7, SK = COUNTS                               4
//	           what moderators know of a comment            PK = CASE#100001, SK from DECISION#, REPORT# on
//	A1         since when a user is a customer              PK = USER#alice, SK = PROFILE                                      1
//	A2         a user's orders, newest first                byLang, USER#alice                                                 1
//	A3         an order with its lines                      byLangAndRating, ORDER#17                                          0.5
//	A4         a user's orders of a status                  ordersByStatus, PK = USER#alice, SHIPPED#                          1
//	A5         the open orders of all, oldest first         openOrders, OPEN#00 to OPEN#07: a query each, merged               4
//	A5, A6     shipped before, or between                   as A4, between two shipping dates                                  1
//	           the same of any status                       as before, a query for each of four, merged
//	           whether a user bought a product              PK = USER#alice, SK = BOUGHT#42                                    1
//
// # The pipeline of a page
//
//	filter ─▶ plan.Choose ─▶ exec.Page ─▶ list.PageOf ─▶ cursor
//	             ▲              │  a tree of operators
//	 statistics.Known      scan.Query, one query a partition, in parallel ─▶ item.Reader
//
// # The pipeline of a write
//
//	verb ─▶ edit, create, import: read, guard, before → after, and what else is written
//	             │
//	          change: statistics.Admit, pending.Try, table.Write, "did it take effect?", pending.Acknowledge
//	                                                    │
//	 statistics, powerset, columns, …  ◀─  projector.Step  ◀─  stream.Consumer  ◀─  the table's stream
//
// # Words
//
//	item         an item of the table, attribute name to value; package item: that of a comment
//	scope        what statistics are about: a product, or a product and a language
//	index        derived data; its items are entries or aggregates, see package index
//	change       a stream record's effect on a comment
//	owner        of a comment: the subject of its author; empty for imported ones
//	mark         an entry next to a comment with an owner, which lists the comment by owner
//	state        of moderation: published, pending, rejected or withdrawn
//	case         the moderation data of a comment: decisions and reports
//	group        of products, projected side by side with the others
//	generation   of an index; a rebuild begins a new one
//	purchase     a product of a delivered order; its entry counts such orders
//	pending      of a write: acknowledged or under way, but not yet projected
//	copy         of a comment, in a partition of a product's power set
//	frame        author, title and text of a comment, compressed
package store
