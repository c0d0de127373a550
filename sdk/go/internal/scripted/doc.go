// Package scripted is a server whose side of every stream a test plays by hand:
// it takes a stream, reads what the client sent, sends what the test wants and
// ends the stream as the test wants. It runs in memory, inside a
// testing/synctest bubble too, and does nothing by itself.
package scripted
