// Package storagetest holds what tests of storage share: an engine in memory that
// injects faults, and the suite that every engine must pass.
//
// A Memory is a storage.Engine over a Disk. The disk is what survives: open
// another Memory over it and the process has been restarted. Faults are set on the
// engine from the test's goroutine while the code under test runs.
//
// RunEngineSuite states what storage.Engine promises, as tests. It knows nothing
// of records: its keys and values are its own.
//
// Caveats: a Memory keeps every version a snapshot needs and is meant for tests of
// up to some hundred thousand keys.
package storagetest
