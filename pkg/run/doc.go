// Package run manages work that takes longer than one call: a rebuild, an import, a backfill. A run is a row that is
// advanced in bounded steps. Any process may perform the next step, and a process may die at any time.
//
//	PK <kind>  RK <run>          the run: the request, the progress, the number of its next step
//	           RK active|<id>    while the run is active
//
//	Begin ──► step ──► step ──► … ──► over
//	            ▲        │
//	            ╰────────╯  a message of the queue names the run and the step
//
// A package that has its own kind of runs describes them by a [Runs] and provides a function that performs one step.
// The step changes the run in memory. This package writes the run by compare-and-swap, lists it as active until it is
// over, and sends the message for the next step.
//
// # Repeated, late and lost steps
//
// A message contains the number of the step that it asks for. If a message is delivered twice or late, its step is
// already done, and nothing happens. A step whose process dies is performed again, so every step must be safe to
// repeat up to its write. When two processes perform the same step at the same time, one of them writes the run. The
// other gets [fault.Lost], which is not treated as an error. A lost message is sent again by the watchdog,
// [Runs.RequeueStalled], which a timer calls. While no run is active, the watchdog costs one query.
//
// Some kinds of runs have no queue: a timer advances them instead.
package run
