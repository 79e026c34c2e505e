// Package sitepoll finds pages that sites publish from now on: a daily poll of each site's sitemaps,
// an hourly one of its feeds, and what sites push (E14). It only registers; existing items are left alone
// but for when they are checked next.
//
// A site of the site file is polled whatever BACKFILL_ENABLED says: a backfill asks for what a
// site has had for years, and somebody decides to begin one; a poll asks for what is new and is
// bounded by Options.PerDay, which is its own switch. A site that only sets limits is not polled.
//
//	SentinelSites, all of one partition, so that one transaction moves what belongs together
//	  site|<slug>        the poll that goes on with its documents, the last ones, the day's counts
//	  active|<slug>      while a poll goes on
//	  doc|<slug>|<hash>  a document: validators, what of it was processed (12 bytes an address)
//	  push|<slug>        verified keys of IndexNow, and the day's counts
//
//	      timer, PollNow            no document is left, or 20 hours
//	idle ───────────────► polling ─────────────────────────────────► idle
//
// # One step, one document
//
// A poll is a run (see package run) that reads one document per step. A document that has not changed costs its
// site one conditional request. Of one that has, only addresses that were not processed before are
// looked up; what is beyond the day's cap is not noted as processed and the document loses its
// validators, so that the next day's poll meets the rest again, the newest first.
//
// The transaction that ends a step moves the site's row, so a step that is done twice counts nothing twice. Items
// keep poll and step, so a step that is done again after a crash counts what it registered itself as new.
//
// # Alternatives considered
//
// Registering every address of a changed sitemap anew would need no memory of addresses, but a read
// for each: 50,000 a day for a large site that adds one page.
package sitepoll
