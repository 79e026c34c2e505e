// Package entries keeps what is pushed in and not crawled: messages, mails, notes and the texts of
// pages, each once, however often it is sent (seed 001), and has the search index hold them.
//
// # Two steps
//
// Normalization is pure: [NormalizeTelegram], [NormalizeEmail] and [NormalizeWebpage] turn what a
// client has into columns of an entry, its identity among them. Clients send these on unchanged and
// make no keys of their own. [Session.Insert] stores them, or does what the entry's policy says when
// one of its keys stands.
//
// # Rows
//
//	Entries (schema pkm), EntriesTest (pkm_test)
//	  PK policy  RK e|<token>           an entry; its id is entry_<policy>-<token>
//	  PK policy  RK p|<SHA-256 of key>  the id of the entry that has this primary key
//	  PK policy  RK s|<SHA-256 of key>  likewise for secondary keys
//	  PK policy  RK x|<token>           a debt: the index may not have the entry as it stands (pkm only)
//	  PK -       RK e|, x|<token>       an entry without a policy, which is never the same as another
//	Policies, PoliciesTest
//	  PK policy  RK <policy>            seeded once, then the operator's
//	RuntimeConfig
//	  PK config  RK is_test_mode        which schema entries go to
//
// # Invariants
//
//  1. A key of a policy has one row, which names one entry, which has that key; an entry has a row for
//     each of its keys. All change in one transaction, which also checks the entry's revision.
//  2. The policy of an entry, its id and when it was created never change.
//  3. The index has an entry of pkm as it stands, or there is its debt.
//  4. A debt has one holder until its time is over; nobody else writes the entry to the index.
//
// # Debts
//
//	written ──► held by the writer ──► put into the index ──► removed, if nobody has touched it
//	   ▲                │ its time is over                        │ touched: read and put again
//	   └── taken by [Store.Drain], which holds it then ◄──────────┘ given up
//
// Whoever changes an entry makes its debt, or touches the one that stands. [Store.Settle] pays what a
// request has made, Drain what was left. Entries of pkm_test are not searched: they have no debts.
//
// # Alternatives considered
//
// An index from ids to partitions, as the registry has, would cost a write for each insert; an id that
// names its policy costs nothing. Looking for a key before the insert would cost two reads for each
// new entry, and prove nothing.
//
// A debt that everybody may pay would do with one request less where two write at once, but who puts last
// into the index would decide what it holds: an older text could stay there for good, if its writer dies
// before it notices. A queue for the index would cost two operations for each entry, at eleven times the
// price, and know as little which text is newer.
package entries
