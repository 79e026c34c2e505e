// Package mailimport imports the mails of mbox files as entries (D6). It normalizes each mail like one that is sent
// alone, inserts it once, and enqueues it for tier 1 unless it was known already.
//
// An import is a run (see package run) that is advanced in pieces. A piece reads, normalizes and inserts some mails.
// Then it writes the import's row with the position in the file where the next piece begins, all counters, and the
// entries that wait to be enqueued.
//
//	Imports  PK mbox  RK <id>         file, options, position, counters, failures, entries that wait
//	         PK mbox  RK active|<id>  while the import is active
//
//	reading ──► enqueueing ──► done
//	   └──────────────┴──────► failed: the file is gone, has changed, or is not an mbox file
//
// # Exactly once
//
// A piece may die anywhere and is then repeated. Its inserts are named after the import's id and the mail's offset
// ([entries.Session.InsertAs]), so each mail is counted as it was the first time. Entries for tier 1 are part of the
// row until a batch of them is durable. The model is asked only once about a batch that was made twice (package
// enrich).
//
// A message of the queue asks for a turn: pieces run one after another until the time of the turn is over.
//
// The schema is the one that was active under the test mode when the import began. Mails of one thread are inserted
// in the order of the file, other mails concurrently. The entry of a thread keeps the newest mail, in whatever order
// mails are inserted: a mail older than the entry's counts as an update that changed nothing. So a delayed worker
// does no harm, nor does an old file that is imported after a newer one. Two imports of one file are harmless as
// well: the second finds the entries that the first inserted.
//
// # Bounds
//
// Memory holds no more of a mail than package extract/mail reads, and never the whole of a mail longer than
// [MaxMail]. A piece holds the normalized columns of its mails. No memory grows with the file.
//
// # Costs
//
// A new mail costs one transaction. A known mail costs three or four more requests, or three more if the piece has
// another mail of its thread. A piece costs one transaction and two reads of policies, a turn one message. While no
// import is active, a sweep costs one query.
package mailimport
