// Package stage plays a scenario in one language: it starts the real server, gives
// each client a network of its own, starts the language's driver, takes the steps, and
// judges the history.
//
//	stage ──── driver (SDK) ──── link ──── server
//	  └────────── history ◄────────┘          │
//	  └───────────────── figures ◄────────────┘
//
// What handlers do is decided here, by the rules of the scenario, once for every
// language.
package stage
