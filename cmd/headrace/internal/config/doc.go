// Package config says what a server can be told and reads it.
//
// Server holds every key with its unit, default and explanation in the tags of
// its fields; flags, environment variables, help texts and the table in
// docs/operations.md all come from there or are compared with it. Load merges
// the sources: a flag goes before HEADRACE_SERVER_*, that before the YAML file,
// that before the default. A key that nobody knows is an error that names its
// source.
package config
