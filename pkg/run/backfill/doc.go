// Package backfill finds the pages that sites already have and registers them, slowly, countably and
// within caps (E1 to E13, spec 004). It only registers: what is fetched, kept and indexed of a page is
// the crawl's business, which takes over from the due row that a registration writes.
//
// A run is a row (see package run). Each of its sources has a checkpoint: a row that knows where the source's next step
// begins. One step reads one document of a site (a sitemap, a page of an archive or a listing), or registers up to 50
// of the links that it gave. Steps follow each other in one message for 25 seconds, or until one has to wait.
//
//	BackfillRuns, all of one partition, so that one transaction moves what belongs together
//	  run|<inverted time>|<id>          the run: what was asked, counters, reasons, errors (INV-8)
//	  active|<id>                       while the run goes on
//	  lane|<id>|<source>|               the checkpoint of a source: cursor, frontier, reservation, state of the traps
//	  lane|<id>|<source>|<n>            hashes of pages that were counted
//	  links|<id>|<source>|<token>|<n>   50 links of a document that are still to be registered
//	  pace                              when the next step that registers may begin, over all runs
//
//	PENDING ──► RUNNING ──► COMPLETED       all sources have ended, some of them perhaps with errors
//	              │  ▲ ╰──► FAILED          no source could be read; resume goes on at its checkpoint
//	        pause ▼  │ resume
//	             PAUSED                     also while BACKFILL_ENABLED is false
//	PENDING, RUNNING, PAUSED ── cancel ──► CANCELLED
//
// # Counted once, within caps
//
// A step registers no more than its checkpoint has reserved, and what is reserved and counted never
// exceeds a cap. The reservation is written before the step that uses it, by the transaction that
// ends the step before. The step ends with one transaction of checkpoint, counters and reservation, so
// it counts wholly or not at all. When it is done again after a crash, it meets items that it has
// registered itself: they carry run and job, and are counted as new. A step of a run that is
// cancelled or paused meanwhile still counts what it did, and sends no further message.
//
// What all runs together register is paced by one row: a step that has something new takes its turn there before it
// writes any of it, and a turn that is taken and not used is lost. So a limit holds whatever dies, and pages that are
// known wait for nothing.
//
// A message names the source and the last step of the message before, so one that is doubled finds that step done, and
// one that is repeated after its worker died goes on where that ended. The watchdog sends the message again of a source
// that has stalled ([Service.RequeueStalled]).
//
// # Alternatives considered
//
// The links of a document are kept as rows, not as a blob: a row of 50 is written and read for a
// hundredth of a blob's price, the last of them in the transaction that ends the step, and nothing of
// a sitemap with 50,000 links is read twice. Reading the sitemap again for each 50 links would cost
// its site a thousand requests.
//
// Pages that were counted are remembered by 8 bytes each beside the checkpoint instead of on their items,
// because items that existed before are not touched, and a dry run has none.
package backfill
