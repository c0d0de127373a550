// Command interop has every SDK publish and every SDK receive what was published, and
// compares what came, by digest, with what was sent: what is written in one language
// must read the same in the others.
//
//	corpora ──► party go ─────┐                       ┌──► party go ─────► what came
//	        ──► party java ───┼──► the real server ───┼──► party java ───► what came
//	        ──► party python ─┘                       └──► party python ─► what came
//
// A party is a thin program around one SDK. It is called as
//
//	party publish ADDRESS PLAN    publishes; a line of PLAN is: topic, corpus, ids
//	party consume ADDRESS PLAN    receives; a line is: subscription, count, handlers, output
//
// with tabs between the words. Corpora and outputs are files of messages of the contract,
// each behind its length as four bytes, the highest first; in an output message_id is
// the delivery's id, and the messages stand in the order in which handlers got them. ids
// are those of a corpus, a line each. An output is written from what the SDK shows of a
// delivery, not from the bytes that came.
//
// tools/interop builds what it needs and calls it; `make interop` calls that.
package main
