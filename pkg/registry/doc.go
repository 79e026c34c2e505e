// Package registry keeps the durable record of every source: register one and it is checked,
// again and again, exactly as often as its schedule says, whatever dies in between.
//
// # Parts
//
// A [Registry] is eight parts over one store of rows: [Items] are registered, found, set and removed, [Jobs]
// give them to workers, [Hosts] has what workers agree on about a host, [Changes] what sites say of their
// pages, [Rebuilds], [Moves] and [Aliases] what the index and the identities need, and [Tags] what people set
// for many items at once. What is decided about a host, and when an item is checked again, is arithmetic in
// pkg/policy/host and pkg/policy/schedule.
//
// # Rows
//
// Everything that must change together shares a partition of the items table, so one atomic
// transaction moves it. The partition is the host (or the scheme, see [source.Strategy]).
//
//	IngestItems
//	  PK partition  RK <hash>                 the item; the truth (spec 003 §4, flat columns)
//	  PK partition  RK due|<nextCrawlAt>|<hash>  its due row; enqueuedUntil while a job has it
//	  PK partition  RK host|<host>            politeness, leases, pause, budgets, counters
//	  PK partition  RK robots|<scheme>|<host> cached robots.txt
//	  PK partition  RK robots|<scheme>|<host>|absent  what it shows for pages that do not exist
//	  PK partition  RK alias|<hash>|<hash>    the second item is, or was, an alias of the first: a hint
//	  PK partition  RK former|<hash>|<hash>   the second item has moved to the first
//	IngestIndex
//	  PK <hash[:2]> RK <hash>                 → partition; written before the item. Of one that has moved: to which
//	  PK partition  RK <partition>            every partition there is, with a copy of its host's counters
//	  PK cursor     RK purge                  how far PurgeTimer has come
//	  PK cursor     RK recount                how far the round over all copies of counters has come
//	  PK tag        RK <name>                 what a tag sets for its items
//	  PK total      RK <shard>                what hosts have taken of the budgets that they share
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
// [Registry.Check] tests the first two and half of the fourth over the stored rows; the
// simulation in package crawl tests all five.
//
//  1. An item has exactly one due row, at its nextCrawlAt.
//  2. A partition with due rows has a hint no later than one minute after the first of them
//     needs attention. Those of a host that may not be asked need it when it may be, at most ten
//     minutes from now.
//  3. At most one worker's result is committed per lock.
//  4. reindexGeneration never falls, and one above the last processed is always followed by
//     processing.
//  5. A message, an instance or a sweep may be lost, doubled or late: work is delayed, never
//     lost, never done wrongly.
//
// # Order
//
// A sweep follows hints by their minute, oldest first, over all shards. A partition that it has looked
// at gets a later hint, one that it has not reached keeps its own: so where there is more to do than
// time, all partitions are served in turn, and none waits much longer than the others.
//
// # Alternatives considered
//
// A job that finds its host busy is not sent again with a delay: its rows go back to the due
// rows, from where the lease holder's [Jobs.Refill] takes them in full batches. Sending it
// again cost three queue operations and 33 reads per bounce, and a thousand single
// registrations of one host bounced all at once.
package registry
