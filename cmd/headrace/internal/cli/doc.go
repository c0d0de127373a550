// Package cli holds the commands of the headrace binary, one noun a file.
//
// An App carries what a command touches of the system: its three streams, its
// environment and whether a person sits at them. Main runs one command line and
// returns the exit code. Commands return errors; only Main prints them. An error
// is exit code 1 unless it says otherwise: usageError is 2, and the checks of
// `lag` are 3 and 4.
package cli
