// Package mailimport brings the mails of mbox files into the entries (D6): each is normalized
// as one that is sent alone, inserted once, and handed to tier 1 unless it was there already.
//
// An import is a run (see package run) that is advanced piece by piece: some mails are read, normalized and
// inserted, and then its row is written with the place in the file where the next piece begins, all counters,
// and the entries that wait to be enqueued.
//
//	Imports  PK mbox  RK <id>         file, options, position, counters, failures, entries that wait
//	         PK mbox  RK active|<id>  while it goes on
//
//	reading ──► enqueueing ──► done
//	   └──────────────┴──────► failed: the file is gone, has changed, or is not an mbox file
//
// # Exactly once
//
// A piece may die anywhere and is then repeated. What it inserted is known by its name, the import's id
// and the mail's offset ([entries.Session.InsertAs]), so each mail counts as what it was the first time.
// Entries for tier 1 are part of the row until a batch of them is durable; a batch that was made twice
// asks the model only once (package enrich).
//
// A message of the queue names a turn: pieces follow each other until its time is over.
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
