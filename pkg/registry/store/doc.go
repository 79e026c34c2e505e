// Package store keeps the rows of a registry: whatever dies, a due row has a hint by which a sweep finds it, and rows
// that must change together change in one transaction.
//
// The rows are listed in the comment of package registry, whose parts decide what they say. This package has how they
// are read and written:
//
//   - [Store.ChangeHost] changes a host's row and others of its partition, one writer after the other in a process, and
//     decides anew where another process was quicker;
//   - [Store.WriteEach] writes several items, and leaves out those that somebody has changed meanwhile;
//   - [Store.Hinted] writes the hint before the transaction, quickly enough that no sweep takes the hint away between;
//   - [Sums] copies what a host's row counts to where a thousand hosts are one request;
//   - [Store.OverItems] walks over items, a bounded piece at a time;
//   - [Store.Share] takes from the budgets that all hosts share;
//   - [Store.Announce] publishes what a commit has changed, which its transaction left in the host's row.
package store
