// Package faultproxy stands between the store and a real engine, for tests, and
// lets things go wrong there as they do with DynamoDB:
//
//	store ──► Proxy ──► engine
//	            │
//	            ├ Throttled, Limited   refused: too much to do
//	            ├ Broken               500, before the engine was asked or after
//	            ├ Slow                 answered late, or forwarded late
//	            ├ Reset                the connection breaks before the engine is asked
//	            ├ Half                 the answer breaks off in the middle
//	            └ Lost                 done, and the connection breaks instead of an answer
//
// A [Rule] says what share of which calls is struck. What strikes is drawn from
// a seed; which call comes when is up to those who call.
package faultproxy
