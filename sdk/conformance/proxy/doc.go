// Package proxy stands between a client and a server, carries their bytes, and can do
// to them what a network does: cut a connection, hold back what one side sends, delay
// it. It also listens: every HTTP/2 frame that passes is decoded, and the frames of the
// contract's streams become events of the history, in the moment in which they are read
// and before anybody gets them.
//
//	client ──► read ─ tap ─ queue ─ gate ─ write ──► server
//	       ◄── write ─ gate ─ queue ─ tap ─ read ◄──
//
// What is held is read all the same, so that the history tells what one side said and
// the other never heard.
package proxy
