// Package driver speaks with drivers: a thin program per language that does with its
// SDK what it is told, and tells what happened. It is told by commands on its standard
// input and tells by events on its standard output, both a line of JSON each; what it
// writes to its standard error is for people. It ends when its input does.
//
//	command      fields                                          answered by
//	connect      client, address                                 connected
//	publish      client, topic, messages                         published or refused, for each message
//	subscribe    client, subscriber, subscription, face, …       subscribed; started for each delivery
//	window       subscriber, window_messages, window_bytes       windowed
//	settle       subscriber, delivery, verdict, delay_ms         settled; confirmed or unconfirmed
//	stop         subscriber                                      stopped
//	close        client                                          closed
//
// A window can be resized where subscribe said that it is resizable. "windowed" names the
// client and the subscriber, and is told when the SDK has the new size; not when the
// server has it.
//
// A driver decides nothing: a handler tells that it was started and waits until it is
// told how to settle. Besides, it tells of itself: "ready" with its language,
// "lost" when a delivery is taken from it, "broken" when the SDK tells that a client's
// subscriber has no stream any more, "ended" when a subscriber ends by itself, and
// "failed" when a command could not be done at all.
package driver
