// Package contexts keeps the servers that a person works with, each under a name,
// in one YAML file.
//
// A Book is the file's content: the contexts, and which of them is current. Load
// and Save go by whole files; Save replaces the file at once, so that whoever reads
// it sees the old or the new one. What the file may not hold is an error that names
// it.
package contexts
