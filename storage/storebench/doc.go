// Storebench measures the store alone: a shard log over Badger in a temporary
// directory, without server, network or subscribers.
//
//	go run ./storage/storebench [-duration 5s] [-run regexp] [-dir directory] [-gc interval]
//
// It prints a table with a line for each load: messages a second, CPU per message
// of the whole process (generator, committer, Badger with its compactions), memory
// allocated per message, and what a commit held and took. Before and after it
// probes the disk: preallocated 1 KiB overwrites with fdatasync. Compare lines of
// one run with each other, and CPU rather than rates: machines are noisy.
package main
