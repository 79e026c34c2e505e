// Package run keeps work that takes longer than one call: a rebuild, an import, a backfill. A run is a row that is
// advanced in bounded steps, whatever process does the next one, and whatever dies in between.
//
//	PK <kind>  RK <run>          the run: what was asked, how far it is, the number of its next step
//	           RK active|<id>    while it goes on
//
//	Begin ──► step ──► step ──► … ──► over
//	            ▲        │
//	            ╰────────╯  a message of the queue names the run and the step
//
// A package that has runs of a kind describes them by a [Runs] and gives a function for one step. The step changes the
// run in memory; this package writes it by compare-and-swap, lists it as active until it is over, and sends the
// message for the next step.
//
// # Repeated, late and lost steps
//
// A message names the step that it asks for, so one that is doubled or late finds that step done. A step that dies is
// done again, so it must be safe to repeat up to its write. Of two processes that do the same step at once, one writes
// the run; for the other, that is [fault.Lost] and no error. A message that was lost is sent again by the watchdog,
// [Runs.RequeueStalled], which a timer calls; while no run goes on, it costs one query.
//
// Some runs have no queue: a timer takes them on instead.
package run
