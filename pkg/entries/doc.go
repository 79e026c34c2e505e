// Package entries keeps what is pushed in and not crawled: messages, mails, notes and the texts of
// pages, each once, however often it is sent (seed 001).
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
//	  PK -       RK e|<token>           an entry without a policy, which is never the same as another
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
//
// # Alternatives considered
//
// An index from ids to partitions, as the registry has, would cost a write for each insert; an id that
// names its policy costs nothing. Looking for a key before the insert would cost two reads for each
// new entry, and prove nothing.
package entries
