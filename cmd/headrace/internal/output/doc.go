// Package output writes what a command has to say as a table for people or as
// JSON or YAML for programs.
//
// A Printer writes data to one writer, standard output in the program. Talk
// (hints, progress, errors) never goes through it. Format says how; JSON and YAML carry
// everything that the table shows, and often more. A Stream writes items one at a
// time for commands that do not end by themselves.
package output
