// Package entries stores the content that is pushed in, not crawled: messages, mails, notes and the texts of pages.
// It stores each entry once, however often the entry is sent (spec 001), and writes it to the search index.
//
// # Two steps
//
// Normalization is pure: [entry.NormalizeTelegram], [entry.NormalizeEmail] and [entry.NormalizeWebpage] turn a
// client's input into the columns of an entry, including its identity. Clients pass these columns on unchanged and
// make no keys of their own. [Session.Insert] stores the columns. If an entry with one of the keys exists, it does
// what the entry's policy demands.
//
// # Rows
//
//	Entries (schema pkm), EntriesTest (pkm_test)
//	  PK policy  RK e|<token>           an entry; its id is entry_<policy>-<token>
//	  PK policy  RK p|<SHA-256 of key>  the id of the entry that has this primary key
//	  PK policy  RK s|<SHA-256 of key>  likewise for secondary keys
//	  PK policy  RK x|<token>           outbox: the index may lack the current state of the entry (pkm only)
//	  PK policy  RK w|<token><time>…    a change of the entry that the feed may lack (pkm only)
//	  PK -       RK e|, x|<token>       an entry without a policy, which never equals another
//	Policies, PoliciesTest
//	  PK policy  RK <policy>            seeded once; from then on the operator's
//	RuntimeConfig
//	  PK config  RK is_test_mode        selects the schema for new entries
//
// An entry that has changed also has what is remembered of its lines ([linememory.Memory]), in the columns lines0 and
// following.
//
// Entries and policies have a column key_revision: the revision of the rules by which their keys were made. In a
// policy, the column applies to all entries of that policy.
//
// # Invariants
//
//  1. Each key of a policy has one row, with the id of the only entry that has that key. An entry has a
//     row for each of its keys. The entry and its key rows change in one transaction, which also checks
//     the entry's revision.
//  2. The policy of an entry, its id and its time of creation never change.
//  3. The index has the current state of an entry of pkm, or the entry is in the outbox.
//  4. Until a claim expires only its claimant writes the entry to the index.
//  5. The feed has each change of an entry of pkm once, or the change's row waits. A merge that changes nothing is not
//     a change.
//
// # Outbox
//
//	written, claimed by the writer ──► put into the index ──► removed, unless it was touched
//	   │ the claim expires                     ▲                    │ touched: read and put again,
//	   └──► claimed by [Store.FlushOutbox] ────┘ ◄──────────────────┘ in the end by FlushOutbox
//
// Every change of an entry adds it to the outbox, or touches the row that exists there. [Store.Flush] puts the writes
// of a request into the index, and FlushOutbox puts everything there that was left over. Entries of pkm_test are not
// searched, so they have no outbox.
//
// # News
//
// The transaction that inserts or updates an entry also writes a row with the change for the feed. Flush publishes
// the change and removes the row together with outbox entries. After a crash FlushOutbox does both. The name of the
// row is the name of the feed's group, so any process may publish the change, and may do so repeatedly. FlushOutbox
// may publish a change after a later change of the same entry; the times in both changes are right.
//
// # Keys of an older revision
//
// The rules by which normalization makes keys may change. The names of the policies, which clients send, do not
// change. After a change of the rules, [Store.Rekey] gives stored entries their current keys. Until that is done for
// a policy, an insert also looks up the keys that the first revision would have made. An entry found by these keys,
// or by a current key, is re-keyed before anything else happens. So an insert finds the entries that it would find if
// all entries were re-keyed.
//
// # Alternatives considered
//
// An insert could return the entry under an old key, and leave that key until the re-keying. That would be less work,
// but wrong: "Tides" and "AW: Tides" shared a key, and one would overwrite the other.
//
// An index from ids to partitions, as the registry has, would cost a write for each insert. An id that contains its
// policy costs nothing. Looking up the keys before an insert would cost two reads for each new entry, and prove
// nothing.
//
// If any process could flush an outbox entry, two concurrent writers would save a request. But the last one to put
// would decide what the index contains: an older text could remain there for good if its writer dies before it
// notices. A queue for the index would cost two operations for each entry, at eleven times the price, and would not
// show which text is newer either.
package entries
