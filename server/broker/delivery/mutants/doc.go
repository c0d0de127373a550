// Package mutants shows that the simulation of the delivery state machine would
// notice faults: its test changes one line at a time and expects the simulation
// to fail. It has no code of its own.
package mutants
