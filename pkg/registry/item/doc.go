// Package item has the rules for an item's row: how a registration, a worker's commit, a move or a rebuild changes
// the row. All functions are computations on values and send no request to the store. Package registry reads and
// writes the rows, and implements the protocol.
//
// # The row
//
// An [Item] is one row that consists of five records. [Identity] describes the source. [Asked] has the requests of
// people and runs. [Seen] has the findings of checks. [Plan] has what is to be done next, and when. [Lock] identifies
// the worker that has the item. A check writes Seen, Plan and Lock. Registrations, runs and people's requests write
// everything else, even while a check runs. [Meanwhile] defines how the commit of such a check merges each record.
//
// # Keys
//
// An item has two rows in the partition of its host, and one row in the index table that leads to the item:
//
//	PK partition  RK <hash>                    the item
//	PK partition  RK due|<nextCrawlAt>|<hash>  its due row; enqueuedUntil while a job has it
//	PK <hash[:2]> RK <hash>                    → partition
package item
