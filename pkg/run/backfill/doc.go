// Package backfill finds the pages that sites already have and registers them, slowly and within caps. It counts each
// page once (E1 to E13, E18, spec 004). It only registers pages. The crawl fetches, stores and indexes them later,
// starting from the due rows that the registration writes.
//
// A run is a row (see package run). Each of its sources has a checkpoint: a row with the cursor from which the
// source's next step continues. One step reads one document of a site (a sitemap, a page of an archive or a listing),
// or registers up to 50 of its links. In mode LINKS it reads the links of pages that the crawl has stored, or registers
// up to 50 pages that were found. The steps of one message follow each other for 25 seconds, or until a step has
// to wait.
//
//	BackfillRuns, all in one partition, so that one transaction can write related rows
//	  run|<inverted time>|<id>          the run: request, counters, reasons, errors (INV-8)
//	  active|<id>                       exists while the run is active
//	  lane|<id>|<source>|               the checkpoint of a source: cursor, frontier, reservation, state of the traps
//	  lane|<id>|<source>|<n>            hashes of pages that were counted
//	  links|<id>|<source>|<token>|<n>   50 links of a document that are still to be registered
//	  walk|<id>|<source>|links|<n>      pages of a source whose links are followed (package walk), and
//	  walked|<id>|<source>|links|<n>    digests of the addresses that it examined; until the source ends
//	  pace                              when the next step that registers may begin, over all runs
//
//	PENDING ──► RUNNING ──► COMPLETED       all sources have ended, some of them perhaps with errors
//	              │  ▲ ╰──► FAILED          no source could be read; resume continues at its checkpoint
//	        pause ▼  │ resume
//	             PAUSED                     also while BACKFILL_ENABLED is false
//	PENDING, RUNNING, PAUSED ── cancel ──► CANCELLED
//
// # Counted once, within caps
//
// A step registers no more addresses than its checkpoint has reserved, and the reserved and counted addresses
// together never exceed a cap. The transaction that ends a step writes the checkpoint, the counters, and the
// reservation for the next step, so a step counts wholly or not at all. When a step is repeated after a crash, it
// finds items that it has registered itself. It recognizes them by their run and job, and counts them as new. If a
// run is cancelled or paused during a step, the step still counts what it did, but sends no further message.
//
// One row paces the registrations of all runs together. A step that has new pages must take a permit from this row
// before it writes any of them. A permit that is taken but not used is lost. So the limit holds even when processes
// die. Pages that are already known need no permit.
//
// A message contains the source and a number. The last step of a message increments the number in the checkpoint. So
// a message that is delivered twice finds another number there, and does nothing. A message that is repeated after
// its worker died continues where that worker stopped. The watchdog sends the message of a stalled source again
// ([Service.RequeueStalled]).
//
// # Alternatives considered
//
// The links of a document are kept as rows, not as a blob. Writing and reading a row of 50 links costs a hundredth of
// what a blob costs. The last rows are written in the transaction that ends the step, and no part of a sitemap with
// 50,000 links is read twice. If each step read the sitemap again, its site would get a thousand requests.
//
// For each counted page, 8 bytes are kept beside the checkpoint. Nothing is recorded on the page's item, because a
// run does not change items that existed before, and a dry run has no items.
package backfill
