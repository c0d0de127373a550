// Package model is a naive account of what a subscription may do: one record per
// message, no shared code with the state machine that it judges, and no thought
// of speed. It is told what happened, in its own words, and then what the state
// machine did about it; whatever is not allowed, or is missing, is an error.
//
// A turn is: events (Publish, Attach, Settle, …), then Advance with the time up
// to which all were told, then the observed effects (Delivered, Confirmed, …) and
// at last EndTurn. The methods for effects return an error that says which rule
// was broken.
package model
