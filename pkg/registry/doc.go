// Package registry keeps the durable record of every source. A registered source is checked again and again, as often
// as its schedule demands, even if a process, a message or a sweep is lost in between.
//
// # Parts
//
// A [Registry] has eight parts over one store of rows. [Items] registers, finds, changes and removes items. [Jobs]
// gives items to workers. [Hosts] keeps the state of a host that all workers share. [Changes] evaluates the changes
// that sites announce. [Rebuilds], [Moves] and [Aliases] serve the index and the identities of items. [Tags] keeps
// the options that apply to many items at once. Pure functions in pkg/policy/host make decisions about hosts. Those
// in pkg/policy/schedule decide when an item is checked again.
//
// # Rows
//
// Rows that must change together are in the same partition of the items table, so that one atomic transaction can
// write them. A partition contains the rows of one host (or of one scheme, see [source.Strategy]).
//
//	IngestItems
//	  PK partition  RK <hash>                 the item; authoritative (spec 003 §4, flat columns)
//	  PK partition  RK due|<nextCrawlAt>|<hash>  its due row; enqueuedUntil while a job has it
//	  PK partition  RK host|<host>            politeness, leases, pause, budgets, counters
//	  PK partition  RK robots|<scheme>|<host> cached robots.txt
//	  PK partition  RK robots|<scheme>|<host>|absent  what the origin shows for pages that do not exist
//	  PK partition  RK alias|<hash>|<hash>    the second item is, or was, an alias of the first: a hint
//	  PK partition  RK former|<hash>|<hash>   the second item has moved to the first
//	IngestIndex
//	  PK <hash[:2]> RK <hash>                 → partition; written before the item. If the item has moved: its new id
//	  PK partition  RK <partition>            one row for every partition, with a copy of its host's counters
//	  PK cursor     RK purge                  cursor of PurgeTimer
//	  PK cursor     RK recount                cursor of the round over all copies of counters
//	  PK tag        RK <name>                 the options that a tag sets for its items
//	  PK total      RK <shard>                what hosts have spent of the budgets that they share
//	DueHints
//	  PK <shard>|<minute>  RK <partition>     "due rows here at or after this minute"
//
// # Life of an item
//
//	Register ──► due now, claimed ──► job ──► Begin (lock) ──► crawl ──► Commit ──► due later
//	                  ▲                          │ host busy or paused                  │
//	                  │                          ▼                                      │
//	     Sweep, Refill claim what is due ◄── due row freed ◄────────────────────────────┘
//
// # Invariants
//
// [Registry.Check] tests the first two and half of the fourth over the stored rows. The simulation in package crawl
// tests all five.
//
//  1. An item has exactly one due row, at its nextCrawlAt.
//  2. A partition with due rows has a hint no later than one minute after the first of them
//     needs attention. Due rows of an unavailable host need attention when the host becomes
//     available, and after ten minutes at the latest.
//  3. At most one worker's result is committed per lock.
//  4. reindexGeneration never falls. While it is above the last processed generation, a check
//     of the item always follows.
//  5. A message, an instance or a sweep may be lost, doubled or late: work is delayed, but
//     never lost and never done wrongly.
//
// # Order
//
// A sweep follows the hints of all shards, oldest minute first. When it has scanned a partition, it gives the
// partition a later hint. A partition that it does not reach keeps its hint. So if there is more work than time, the
// partitions are served alternately, and none waits much longer than the others.
package registry
