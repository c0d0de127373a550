// Command throughput measures what each SDK publishes and receives, side by side: the
// programs in programs/ use nothing but what an SDK offers everyone. `make throughput`
// calls it.
//
// Every row has a server of its own on an empty directory. A program says when its
// warm-up is over and when all is done; from one to the other this program measures
// the time, and the CPU time of the program and of the server.
package main
