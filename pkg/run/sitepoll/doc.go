// Package sitepoll finds pages that sites publish newly (E14). It polls each site's sitemaps daily and its feeds
// hourly, and accepts what sites push. It only registers pages. Of existing items it changes only the time of the
// next check.
//
// A site of the site file is polled even if BACKFILL_ENABLED is false. A backfill requests everything that a site has
// published for years, so a user must begin it. A poll requests only what is new. Options.PerDay bounds the new
// pages, and switches polls off if it is 0. A site that is in the file only for its limits is not polled.
//
//	SentinelSites, all in one partition, so that one transaction can write related rows
//	  site|<slug>        the active poll with its documents, the last polls, the day's counts
//	  active|<slug>      while a poll is active
//	  doc|<slug>|<hash>  a document: validators, which addresses were processed (12 bytes each)
//	  push|<slug>        verified keys of IndexNow, and the day's counts
//
//	      timer, PollNow            no document is left, or 20 hours
//	idle ───────────────► polling ─────────────────────────────────► idle
//
// # One step, one document
//
// A poll is a run (see package run) that reads one document per step. An unchanged document costs its site one
// conditional request. If a document has changed, the step looks up only the addresses that were not processed
// before. Addresses beyond the day's cap are not recorded as processed, and the document loses its validators. So the
// next day's poll finds the remaining addresses again, newest first.
//
// The transaction that ends a step also writes the site's row, so a repeated step counts nothing twice. Items keep
// the poll and the step that registered them, so a step that is repeated after a crash still counts its own items as
// new.
//
// # Alternatives considered
//
// If every address of a changed sitemap were registered again, no memory of addresses would be needed. But each
// address would cost a read: 50,000 a day for a large site that adds one page.
package sitepoll
