// Package sentinel finds pages that sites publish from now on: a daily look at each site's sitemaps,
// an hourly one at its feeds, and what sites push (E14, seed 004 ARC-1 "Daily Sentinel"). It only
// registers; existing items are left alone but for when they are checked next.
//
// A site of the site file is looked at whatever BACKFILL_ENABLED says: a backfill asks for what a
// site has had for years and is somebody's decision of the day, a look asks for what is new and is
// bounded by Options.PerDay, which is its own switch. A site that only sets limits is not looked at.
//
//	SentinelSites, all of one partition, so that one transaction moves what belongs together
//	  site|<slug>        the look that goes on with its documents, the last ones, the day's counts
//	  active|<slug>      while a look goes on
//	  doc|<slug>|<hash>  a document: validators, what of it was dealt with (12 bytes an address)
//	  push|<slug>        verified keys of IndexNow, and the day's counts
//
//	      timer, LookNow            no document is left, or 20 hours
//	idle ───────────────► looking ─────────────────────────────────► idle
//
// # One step, one document
//
// A look is advanced one document per message of a queue. A document that has not changed costs its
// site one conditional request. Of one that has, only addresses that were not dealt with before are
// looked up; what is beyond the day's cap is not noted as dealt with and the document loses its
// validators, so that the next day's look meets the rest again, the newest first.
//
// A step may be doubled, late or lost. Its message names the step, and the transaction that ends it
// moves the site's row, so a doubled one counts nothing. Items keep look and step, so a step that is
// done again after a crash counts what it registered itself as new. [Service.Wake] sends lost
// messages again.
//
// # Alternatives considered
//
// Registering every address of a changed sitemap anew would need no memory of addresses, but a read
// for each: 50,000 a day for a large site that adds one page.
package sentinel
