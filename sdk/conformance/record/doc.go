// Package record keeps the history of a scenario and judges it.
//
// A [History] is a row of events: what drivers report, which frames a proxy saw, what
// the stage did and what the server's figures were. Each has a kind and fields of text,
// so that a scenario, which is data, can name any of them in a [Match]. Whoever waits
// for something waits for events of the history; nothing sleeps.
//
// An [Expectation] is a statement over the whole history: how many events there are of
// a kind, per message or key, in which order. Besides what a scenario expects, every
// history keeps the standing rules of [Rules]: those of the protocol that a client can
// break without losing anything at once.
package record
