// Command mutants shows that the conformance suite would notice a broken SDK: it
// changes one line of an SDK at a time, in each language in six places (credit, window, settle
// numbers, resume, extension, key order), plays the scenarios that are to notice, and
// fails where none does. A change is a text that stands in a file once and what it is
// replaced by; the tests see to it that every one still applies.
//
// `make conformance-mutants` calls it, by way of tools/conformance, and writes what
// noticed each of them into docs/conformance.md.
package main
