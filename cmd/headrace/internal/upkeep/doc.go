// Package upkeep does what is done to a store that no server has open: it wires the
// inspection, the backup and the restoration of a store to Badger.
//
// Caveats: a store has one process at a time; everything here fails with
// storage.ErrLocked while a server runs on the directory.
package upkeep
