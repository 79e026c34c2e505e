// Package mailimport imports the mails of mbox files as entries (D6). It normalizes each mail as if the mail had been
// sent alone, and inserts it once. Unless the mail was known already, it enqueues the mail for tier 1.
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
// A piece may die at any point and is then repeated. Its inserts are identified by the import's id and the mail's
// offset (see [entries.Session]), so each mail is counted as it was the first time. Entries for tier 1 are part
// of the row until a batch of them is durable. If a batch was made twice, the model is asked only once about its
// entries (package enrich).
//
// A message of the queue asks for a turn: pieces run one after another until the time of the turn is over.
//
// The test mode at the beginning of the import decides its schema. Mails of one thread are inserted in the order of
// the file, other mails concurrently. The entry of a thread keeps the newest mail, in whatever order mails are
// inserted: a mail that is older than the entry's mail counts as an update that changed nothing. So a delayed worker
// does no harm, and neither does an old file that is imported after a newer one. Two imports of one file are harmless
// as well: the second finds the entries that the first inserted.
//
// # Bounds
//
// Of a mail, only as much is held in memory as package extract/mail reads, and never the whole of a mail longer than
// [MaxMail]. A piece also holds the normalized columns of its mails. No use of memory grows with the file.
//
// # Costs
//
// A new mail costs one transaction. A known mail costs three or four more requests, or three more if the piece has
// another mail of its thread. A piece costs one transaction and two reads of policies, and a turn costs one message.
// While no import is active, a sweep costs one query.
package mailimport
