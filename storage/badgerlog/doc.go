// Package badgerlog keeps a shard's records in Badger. It is the only importer of
// Badger, and none of Badger's types leave it.
//
// An Engine is a storage.Engine over one directory:
//
//	LOCK      flocked while the store is open; the owner's process id
//	FORMAT    format version, store id, number of shards; written once
//	ledger    the commit ledger, see below
//	ballast   takes room on the disk; given up to open the store when it is full
//	running   there while the store is open; so the next opening knows of a crash
//	aside/    what a crash left of Badger's logs, copied before Badger cut it
//	badger/   Badger's own files
//
// A batch is one Badger transaction, synced before Commit returns. Badger has gaps
// that would turn into silent loss, and each one has a guard here: the process's
// limits and the disk's space are checked before Badger can run into them, Badger's
// log is watched for errors that it does not return, the commit ledger tells when
// Badger's own logs lost their tail, and an empty value is never believed. What
// only the records can tell (a flipped bit, a missing key) is found by their
// checksums and chains, above this package.
//
// The rule after any error of a commit, or one in the background that puts
// durability in doubt, is fail-stop: Failed is closed, every later commit is
// refused, and the process should exit and recover at its next start.
//
// Caveats: a batch's memory may still be read after ErrUnknown, because Badger may
// hang in its own I/O; the caller must not reuse it then. Close of a failed engine
// waits a bounded time for Badger and then leaves its goroutines behind. A power
// cut that loses or tears exactly the last batch and its ledger entry, although
// both were synced, goes unnoticed: only one that hits the two differently is seen.
package badgerlog
