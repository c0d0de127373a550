// Package backup writes a store into one file while it goes on serving, checks such
// files, and restores them.
//
// A backup is a fuzzy scan and a redo log. Batches are blind puts and deletes, so a
// scan that sees different parts of the map at different times becomes exact when
// every batch that was committed meanwhile is applied after it:
//
//	commits   …  41   42   43   44   45   46  …
//	scan            [ a…f ][ g…p ][ q…z ]
//	file         H   a…f 42 g…p 43 44 q…z 45  T      state as of batch 45
//
// A snapshot is taken after the batches before it in the file are committed, so it has
// them; what it has of later ones is written once more by them. So whoever applies
// the file from its beginning to its end has, at the end, exactly the state as of the
// last batch in it.
//
// Engine is a decorator over a storage.Engine that can be backed up: it hands each
// committed batch to the backup that runs, if one does. Write backs up what does not
// change. Verify reads a file and checks everything in it; Restore does the same and
// hands it to a Target on the way.
//
// Guarantees: no snapshot is held longer than some 20 ms; a reader of the backup that
// is too slow makes the backup fail, and never a commit wait; every flipped bit and
// every cut of a file is found. A damaged record is not backed up: the backup fails
// and names it.
//
// Caveats: a commit during a backup copies its batch once more. What a backup holds
// in memory is bounded by maxTeeBytes and by the largest batch.
package backup
