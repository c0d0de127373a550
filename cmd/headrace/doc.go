// Command headrace is the whole of Headrace in one binary: the server
// (`headrace serve`, `headrace dev`), the command line of its users (`topic`,
// `sub`, `pub`, `tail`, `lag`) and its benchmark (`bench`).
//
// Data goes to standard output, talk to standard error. Exit codes: 0 done, 1
// failed, 2 used wrongly, 3 and 4 for a check that is worth a warning or an
// alarm. docs/operations.md has every command and every configuration key.
//
// The rooms below: internal/cli holds the commands, internal/output writes
// tables and JSON, internal/config reads the server's configuration,
// internal/serverproc runs a server as a child process, internal/bench measures
// one.
package main
