// Package node puts a server together: the engine on the disk, the store on the
// engine, the broker on the store, the server on the broker. It is the one place
// that knows all of them.
//
// Run opens them in that order, serves until its context ends, and closes them in
// reverse. Its errors are for the person who started the server: they say what
// is wrong and what to do.
package node
