// Package simulation is one proof of everything together, in the manner of FoundationDB's
// simulation and TigerBeetle's VOPR: tests only.
//
// A history is a function of its seed. The seed draws a configuration. Then servers,
// projectors, Lambda's handler and operators run all verbs of the store at once, under the
// virtual clock of testing/synctest, against package double, while chaos throws faults, kills
// processes, splits shards and lets days pass. Then everything must become quiet and right.
//
//	config → actors ─┐
//	                 ├─▶ store ─▶ double ─▶ model: every write that took effect, with the call that made it
//	         chaos ──┘     │                  │
//	                       └─ what it answers ┴─▶ checks: pages, counts, columns, the whole table
//
// The model knows the truth: double tells it of each write as it takes effect. So a check is
// a comparison: may the call make that write, do the states of the last moments allow that
// answer, do the comments explain what the table holds at the end, and nothing else.
//
//	go test ./store/simulation                                   some hundred histories
//	HISTORIES=10000 SECONDS=600 go test ./store/simulation       many; FIRST is the first seed
//	SEED=42 go test ./store/simulation -run TestHistories        one, as often as it takes to fail; JOURNAL=1 shows all of it
//	REPLAY=file go test ./store/simulation -run TestHistories    the operations in a file, which may be the output of a run that failed
//	MINIMIZE=1 SEED=42 (or REPLAY=file) …                        fewer operations that break the same rule, in at most RUNS and SECONDS
//	GATHER=1 IGNORE=counts,ranks KIND=absent …                   count failures by kind, leave some rules alone, one kind of histories
//
// A run that fails prints its operations, one a line: when, who, through which server, the
// verb and its arguments. A person can leave lines out, add some and change them. What is
// drawn when they are played again, from the seed and what a call says, is what befalls
// single calls of DynamoDB, ids and pauses; and which of two goroutines runs first at the
// same instant is up to the scheduler.
//
// A feature joins so: write its verb as an actor (a function that draws an operation and one
// that does it, a line in the list of actors and one in that of verbs), say in the call's explain what it may write, and compare what it answers with the
// model. What it keeps in the table gets its line in the check of the whole table. The rare
// situation that it fears gets a name in the list rare: a run of many histories fails if none
// met it. A fault that is found gets a test with the code that it was in, if that can be
// done without many processes at once. The files:
//
//	simulation_test  plays histories, one a seed, and repeats one
//	config_test      what a seed draws: kinds of histories, faults, clocks
//	history_test     a history, from an empty table until all is quiet
//	process_test     servers, projectors, functions (source_test) and operators
//	chaos_test       what befalls them: storms of faults, deaths, resharding, absences
//	script_test      operations as text, and how they are played again
//	minimize_test    fewer operations that fail
//	actors_test      who does what how often; actor_… are the verbs, each with its promise
//	model_test       the truth: every change that took effect, with the call that made it
//	check_…          what pages, counts, columns and the whole table must be
//	quiet_test       what is compared when all is quiet
//	journal_test     what happened, for a person to read, and which situations were met
package simulation
