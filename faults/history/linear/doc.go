// Package linear checks small concurrent histories against sequential models, with
// porcupine: is there an order of the operations, each at one moment between its call
// and its answer, in which the model gives the same answers?
//
// [Catalog] is the model of one name: a topic or a subscription that is created,
// updated, deleted and read. [Message] is the model of one message on one subscription:
// published, delivered, settled, its lease ended, its session or its server gone.
// Names are independent of each other, and so are messages of a subscription without
// order, so each has a history of its own and a check stays fast.
//
// An operation without an answer stays open for ever: it may have had its effect at any
// time after its call, or none.
package linear
