// Package item decides what becomes of a source's record: what a registration, a worker's commit, a move or a rebuild
// makes of its row, without asking the store. Everything here is arithmetic on values; pkg/registry reads and writes
// them, and has the protocol.
//
// # The row
//
// An [Item] is one row of five records, whose columns stand side by side: [Identity] is who it is, [Asked] what people
// and runs have asked of it, [Seen] what checks have found, [Plan] what is to be done next and when, and [Lock] who
// works on it. A check writes what it has seen, its plan and the lock. Everything else is written by others, also while
// a check runs: what a commit then keeps of each record says [Meanwhile].
//
// # Keys
//
// In the partition of its host an item has two rows, in the index table one that leads to it:
//
//	PK partition  RK <hash>                    the item
//	PK partition  RK due|<nextCrawlAt>|<hash>  its due row; enqueuedUntil while a job has it
//	PK <hash[:2]> RK <hash>                    → partition
package item
