// Package entries keeps what is pushed in and not crawled: messages, mails, notes and the texts of
// pages, each once, however often it is sent (spec 001), and has the search index hold them.
//
// # Two steps
//
// Normalization is pure: [entry.NormalizeTelegram], [entry.NormalizeEmail] and [entry.NormalizeWebpage] turn what a
// client has into columns of an entry, its identity among them. Clients send these on unchanged and
// make no keys of their own. [Session.Insert] stores them, or does what the entry's policy says when
// an entry with one of its keys exists.
//
// # Rows
//
//	Entries (schema pkm), EntriesTest (pkm_test)
//	  PK policy  RK e|<token>           an entry; its id is entry_<policy>-<token>
//	  PK policy  RK p|<SHA-256 of key>  the id of the entry that has this primary key
//	  PK policy  RK s|<SHA-256 of key>  likewise for secondary keys
//	  PK policy  RK x|<token>           outbox: the index may lack the present state of the entry (pkm only)
//	  PK policy  RK w|<token><time>…    a change of the entry that the feed may lack (pkm only)
//	  PK -       RK e|, x|<token>       an entry without a policy, which is never the same as another
//	Policies, PoliciesTest
//	  PK policy  RK <policy>            seeded once, then the operator's
//	RuntimeConfig
//	  PK config  RK is_test_mode        which schema entries go to
//
// Entries and policies have a column key_revision: which revision of the rules their keys were made by. At a
// policy it says so of all its entries.
//
// # Invariants
//
//  1. A key of a policy has one row, which names one entry, which has that key; an entry has a row for
//     each of its keys. All change in one transaction, which also checks the entry's revision.
//  2. The policy of an entry, its id and when it was created never change.
//  3. The index has the present state of an entry of pkm, or the entry is in the outbox.
//  4. Until a claim expires only its claimant writes the entry to the index.
//  5. The feed has a change of an entry of pkm once, or its row waits. A merge that changes nothing is none.
//
// # Outbox
//
//	written, claimed by the writer ──► put into the index ──► removed, if nobody has touched it
//	   │ the claim expires                     ▲                    │ touched: read and put again,
//	   └──► claimed by [Store.FlushOutbox] ────┘ ◄──────────────────┘ in the end by FlushOutbox
//
// Whoever changes an entry adds it to the outbox, or touches the row that is there. [Store.Flush] puts into the
// index what a request has written, FlushOutbox what was left. Entries of pkm_test are not searched: they have
// no outbox.
//
// # News
//
// The transaction that inserts or updates an entry also writes a row with what the feed is to say of it. Flush
// publishes that and removes the row together with outbox entries; after a crash FlushOutbox does. The row's
// name is the name of the feed's group, so it makes no difference who publishes, or how often. A change that
// FlushOutbox publishes may come behind a later one of its entry; their times are right.
//
// # Keys of an older revision
//
// The rules by which normalization makes keys may change; the names of the policies, which clients send, do not.
// [Store.Rekey] then gives stored entries their keys of today. Until that is done for a policy, an insert also
// looks under the keys that the first revision would have made. It re-keys what it finds there, or under a key of
// today, before it does anything else. So it finds what it would find if all entries were re-keyed.
//
// # Alternatives considered
//
// To answer with the entry under an old key, and leave it there until the re-keying comes, would be less work
// for an insert, but wrong: "Tides" and "AW: Tides" shared a key, and one would overwrite the other.
//
// An index from ids to partitions, as the registry has, would cost a write for each insert; an id that
// names its policy costs nothing. Looking for a key before the insert would cost two reads for each
// new entry, and prove nothing.
//
// An outbox entry that everybody may flush would save a request where two write at once, but the last to put
// would decide what the index holds: an older text could remain there for good, if its writer dies before it
// notices. A queue for the index would cost two operations for each entry, at eleven times the price, and could
// not tell either which text is newer.
package entries
