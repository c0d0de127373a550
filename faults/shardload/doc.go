// Package shardload loads a store and knows what it promised.
//
// A Victim is a child process that publishes and acknowledges through shardlog over
// badgerlog, and says what the store promised, line by line. The Ledger writes that
// down, outside the store. Inspect opens the store after whatever was done to it and
// reads everything that it holds; InspectApart does so in a child process, which keeps
// nothing of the store open; Check compares the two.
//
// Every body follows from the name of its message, and every ack state from three
// numbers, so that each byte and each ack chunk is compared, not only counted. The
// engine's options are as small as is legal: memtables and value logs rotate, tables
// are built and the value log is collected all the time.
package shardload
