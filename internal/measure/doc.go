// Package measure measures what programs and the disk cost: the CPU time of a process,
// and how long an overwritten, preallocated KiB takes to be synced. Benchmarks say both
// beside their figures, since rates alone are those of one machine at one moment.
package measure
