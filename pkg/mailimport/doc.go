// Package mailimport brings the mails of mbox files into the entries (seed 001, D6): each is normalized
// as one that is sent alone, inserted once, and handed to tier 1 unless it was there already.
//
// An import is a row, advanced one bounded piece after the other: some mails are read, normalized,
// inserted, and then the row is written with where in the file the next begins, all counters, and the
// entries that wait to be enqueued.
//
//	Imports  PK mbox  RK <id>         file, options, position, counters, failures, entries that wait
//	         PK mbox  RK active|<id>  while it goes on
//
//	reading ──► enqueueing ──► done
//	   └──────────────┴──────► failed: the file is gone, has changed, or is none
//
// # Exactly once
//
// A piece may die anywhere and is then repeated. What it inserted is known by its name, the import's id
// and the mail's offset ([entries.Session.InsertAs]), so each mail counts as what it was the first time.
// Entries that tier 1 should see are part of the row until a batch of them is durable; a batch that
// was made twice asks nothing twice (package enrich). Pieces write the row by compare-and-swap, and
// whoever lost it stops.
//
// A message of the queue names a turn. Pieces of a turn follow each other until its time is over, and
// the next message is sent; a message of an earlier turn finds that turn done. A lost message is sent
// again by the sweep ([Service.Resume]).
//
// The schema is that of the test mode when the import began. Mails of one thread are inserted in the
// order of the file, others at once, and a thread is at its newest mail whatever the order: one that is older
// than the entry's counts as an update that changed nothing. So a worker that was held up does no harm,
// nor does an old file that is imported after a newer. Two imports of one file do none either: the
// second finds what the first has inserted.
//
// # Bounds
//
// A mail is held up to what package extract/mail reads of one, and never as a whole when it is longer
// than [MaxMail]; a piece holds the normalized columns of its mails. Nothing grows with the file.
//
// # Costs
//
// A mail that is new costs one transaction, one that is there already three or four requests more, or
// three more if the piece has another of its thread. A piece costs one transaction and two reads of policies, a
// turn one message. While no import goes on, a sweep costs one query.
package mailimport
