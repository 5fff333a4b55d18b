// Package store implements the operations on comments: create, update, delete, import, get and
// read a page. Its subpackages implement everything else; this package combines them.
//
// All methods that call the store return an Unavailable error if the store does not answer.
//
// # Access patterns
//
// The last column, where present, is the cost in read units of a page of 20 or of the one item.
// TestCosts checks it.
//
//	AP1        all comments of a product, newest first
//	           index all, PRODUCT#42
//	AP2        one language
//	           byLang, PRODUCT#42/en
//	AP3        some ratings, of one language or of any
//	           byLangAndRating, byRating: a query each, merged
//	AP4, AP5   one comment: get, delete
//	           PK = SK = COMMENT#100001
//	AP6        page through any of them
//	           every partition resumes at the cursor's position
//	AP7, AP9   counts by rating of a product
//	           PK = PRODUCT#42, SK = S
//	AP8, AP10  counts by rating of one language
//	           PK = PRODUCT#42, SK = S#en
//	           a user's comments about a product
//	           PK = USER#alice, SK from WROTE#42# on
//	AP11       products with most 5-rated comments
//	           byLangAndRating, LEADERS or LEADERS#en
//	AP12       comments by the value of an attribute
//	           attribute index, COLUMN#42/A/size
//	           comments by buyers alone
//	           as AP1 to AP3, filtered by vp
//	           a user's comments of one state, by time                       21
//	           PK = USER#alice, SK from COMMENT#PENDING# on
//	           a user's comments of all states, by time                      24
//	           the same, one query for each of the four states, merged
//	           comments that wait for moderators, oldest first               24
//	           all, byLang, byRating, byLangAndRating: QUEUE#PENDING/…/3, merged
//	           the number of waiting comments                                 4
//	           PK = CASES#0 to CASES#7, SK = COUNTS
//	           a comment's decisions and reports
//	           PK = CASE#100001, SK from DECISION#, REPORT# on
//	           whether a photo is visible                                         2
//	           PK = SK = PHOTO#mfrggzdf…, then AP4
//	           comments of a product with photos                                  1
//	           openOrders, PRODUCT#42
//	           photos to delete, by time                                          2
//	           all, PHOTOS#0 to PHOTOS#3
//	A1         the time of a user's first order                               1
//	           PK = USER#alice, SK = PROFILE
//	A2         a user's orders, newest first                                  1
//	           byLang, USER#alice
//	A3         an order with its lines                                        0.5
//	           byLangAndRating, ORDER#17
//	A4         a user's orders of a status                                    1
//	           ordersByStatus, PK = USER#alice, SHIPPED#
//	A5         the open orders of all users, oldest first                     4
//	           openOrders, OPEN#00 to OPEN#07: a query each, merged
//	A5, A6     a user's orders shipped before a date, or between two          1
//	           as A4, between two shipping dates
//	           the same of all statuses
//	           one query for each of the four statuses, merged
//	           whether a user bought a product                                1
//	           PK = USER#alice, SK = BOUGHT#42
//
// docs/design.md begins with the map of the wings. These are the paths through them, file by file.
//
// # The path of a page
//
//	page.go                              a page that is kept is taken from read/shared, else:
//	  index/counts/known.go              statistics, for the planner
//	  index/attributefilter/reading.go   conditions and order by attributes, own writes
//	  read/plan/plan.go                  Choose: a tree of operators
//	  read/exec/exec.go                  Page: pulls the tree
//	    index/attributefilter/source.go  Scan: one query of a partition
//	    read/scan/scan.go                table/query.go, then comment/item/item.go
//	  texts.go                           decompresses what is shown
//	the caller seals its position         key/cursor
//
// # The path of a write
//
//	create.go, update.go, moderate.go, …  what the verb changes: before → after
//	  edit.go                             read, check the guard, try again after others' writes
//	  write.go                            change:
//	    index/counts/languages.go         Admit: at most so many languages a product
//	    derive/pending/log.go             Try, and Acknowledge when it took effect
//	    table/write.go                    one conditional write, or a transaction
//
// # The path of a record
//
//	derive/stream/read.go, session.go     a shard's records, assigned to lanes
//	derive/stream/lane.go                 the changes of some buckets of products
//	derive/projector/step.go              as many as a transaction takes
//	derive/index/engine.go                Effect and Flush: entries.go, sums.go
//	  index/counts/diff.go, index/…       what each index makes of a change
//	derive/projector/step.go              writes and checkpoints, in one transaction
//
// # Words
//
//	item         an item of the table, attribute name to value; package item: a comment's
//	scope        the subject of statistics: a product, or a product and a language
//	index        derived data; its items are entries or aggregates, see package index
//	change       a stream record's effect on a comment
//	owner        the subject of a comment's author; empty for imported comments
//	mark         an item, written with a comment, that lists the comment under its owner
//	state        of moderation: published, pending, rejected or withdrawn
//	case         the moderation data of a comment: decisions and reports
//	group        products that share attribute definitions
//	generation   of an index; a rebuild begins a new one
//	purchase     a product of a delivered order; its entry counts such orders
//	pending      of a write: acknowledged or under way, but not yet projected
//	copy         of a comment, in a partition of a product's power set
//	compressed   text: author, title and text of a comment in one; see package compressed
package store
