// Package corruption damages the files of a store, one at a time, and looks whether
// anything goes wrong in silence.
//
// Two stores are made by shardload's victims: one that was stopped in order, one whose
// process was killed. Each trial copies one of them, damages one file (a flipped bit,
// a zeroed page, a cut tail, two files of a kind that change places, a removed file),
// and has a child process look at the copy as headrace doctor does, open it, and read
// everything. What it reads is compared with the same of an undamaged copy:
//
//	harmless   everything is equal
//	repaired   everything is equal, and recovery logged what it did
//	refused    the store does not open, and says why
//	fenced     something is refused with an error, the rest is equal
//	stopped    as fenced, and the store stops with the reason once that is read
//	last       the killed process's last batch is gone: nothing can tell that from a
//	           batch that was being written
//	silent     something else than before is there, and no error; or the child crashed
//	           or hung: the trial fails
//
// Whatever is not harmless or repaired must have been told by the doctor too.
package corruption
