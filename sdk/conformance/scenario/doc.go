// Package scenario reads scenarios: what is set up, which steps are taken, and what
// the history must be like then. They are files of YAML, the same for every language;
// a field that does not exist is an error.
//
// A scenario names clients, each of which is one client of an SDK behind a network of
// its own, subscribers, and messages: those of a publish step are its prefix and a
// number, "m1", "m2", …, which begins their data.
package scenario
