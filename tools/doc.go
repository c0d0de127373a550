// Package tools pins the programs that generate and check this repository's
// code, and tests the checks themselves. Nothing that a user builds needs it.
package tools
