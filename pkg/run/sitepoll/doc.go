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
//	  added|<slug>       the definition of a site that was added; trial|<slug> that of a dry run
//	  walk|<slug>|<poll>|<n>, walked|<slug>|<poll>|<n>
//	                     128 pages found by links, in the order in which they were found; digests of 6,000 addresses
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
// # Where nothing lists the pages
//
// If no document of a site lists pages, and nothing was found before, the poll of a site that has a first page reads
// that page and the feeds that it names, or else those at usual addresses. It registers nothing of them. It offers what
// it found ([Offer]) and asks ([Poll.Asks]); a person chooses by adding the site again with sources ([Service.Add]).
//
// # Following links
//
// After its documents, a full poll follows links where the site says so (package walk). A step reads the bodies
// that the crawl has stored of pages that were registered before, adds the pages that these link to, and registers the
// next ones in the order in which they were found. At most 256 pages are registered ahead of the crawl, and of a group
// of addresses that is not known yet 8 ([discover.Bulk]). So an endless space is recognized by its first pages. The
// rows of pages are written with the site's row in one transaction. Registered pages name their step, so that a
// repeated step counts them once.
//
// The next poll compares the digest of each page's body with that of the body whose links were read, and reads the
// links of those that differ. A dry run ([Service.Try]) takes the same steps, but fetches pages by itself and registers
// nothing.
//
// # Alternatives considered
//
// If workers stored the links of the pages that they read, no body would be read twice, by no process. But each check
// would write them, also where nobody follows links. So a worker keeps them in memory, within 8 MiB, and only of pages
// that a walk of this process waits for ([discover.Awaited]). What is not there is read from the stored body.
//
// If every address of a changed sitemap were registered again, no memory of addresses would be needed. But each
// address would cost a read: 50,000 a day for a large site that adds one page.
package sitepoll
