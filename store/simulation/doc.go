// Package simulation tests the whole store at once, in the manner of FoundationDB's simulation and
// TigerBeetle's VOPR. It contains only tests.
//
// A history is a function of its seed. The seed draws a configuration. Then servers, projectors,
// Lambda's handler and operators call all verbs of the store concurrently, under the virtual clock of
// testing/synctest, against package double. Chaos injects faults, kills processes, splits shards and
// lets days pass. At the end all activity stops, and the table must be complete and correct.
//
//	config → actors ─┐
//	                 ├─▶ store ─▶ double ─▶ model: every write that took effect, with its call
//	         chaos ──┘     │                  │
//	                       └─── answers ──────┴─▶ checks: pages, counts, columns, the whole table
//
// The model is exact, because double reports each write as it takes effect. So every check is a
// comparison with the model. Was the call allowed to make the write? Does the answer match a recent
// state? Does the final table match the comments?
//
//	go test ./store/simulation                                   some hundred histories
//	HISTORIES=10000 SECONDS=600 go test ./store/simulation       many; FIRST is the first seed
//	SEED=42 go test ./store/simulation -run TestHistories        one, repeated until it fails; JOURNAL=1 prints all its events
//	REPLAY=file go test ./store/simulation -run TestHistories    the operations in a file, such as the output of a failed run
//	MINIMIZE=1 SEED=42 (or REPLAY=file) …                        fewer operations that break the same rule, within RUNS and SECONDS
//	GATHER=1 IGNORE=counts,ranks KIND=absent …                   counts failures by kind, ignores some rules, plays one kind of histories
//
// A failed run prints its operations, one per line: time, actor, server, verb and arguments. A person
// can remove, add and change lines. A replay draws the faults of single calls, ids and pauses again,
// from the seed and the content of each call. The scheduler still decides which of two goroutines
// runs first at the same instant.
//
// To add a feature to the simulation:
//
//   - Write its verb as an actor: a function that draws an operation, a function that executes it, a
//     line in the list of actors and a line in the list of verbs.
//   - Describe in the call's explain which writes it may make, and compare its answer with the model.
//   - Add its items to the check of the whole table.
//   - Add the rare situations that could break it to the list rare. A run of many histories fails if
//     one of them never happens.
//   - Give every fault that the simulation finds a test in the package of the fault, if the test
//     needs no concurrent processes.
//
// The files:
//
//	simulation_test  plays histories, one per seed, and repeats one
//	config_test      what a seed draws: kinds of histories, faults, clocks
//	history_test     a history, from an empty table to the final checks
//	process_test     servers, projectors, functions (source_test) and operators
//	chaos_test       storms of faults, killed processes, resharding, absences
//	script_test      operations as text
//	replay_test      replays, and fewer operations that fail
//	actors_test      the actors and their frequencies; actor_… are the verbs with their checks
//	model_test       the model: every change that took effect, with its call
//	bucket_test      the bucket of photos, and what it has at the end
//	check_…          checks of pages, counts, columns, events and the whole table
//	quiet_test       the final checks
//	journal_test     the events of a history for a person, and the rare situations that happened
package simulation
