// Package store keeps the rows of a registry. It ensures that every due row has a hint by which a sweep finds it,
// even after a crash, and that rows that must change together change in one transaction.
//
// The comment of package registry lists the rows. The parts of package registry decide what the rows contain. Package
// store reads and writes the rows:
//
//   - [Store.ChangeHost] changes a host row and other rows of its partition. In a process, one writer works at a time.
//     A change is decided again if another process was quicker;
//   - [Store.WriteEach] writes several items, and drops those that another writer has changed in the meantime;
//   - [Store.Hinted] writes the hint before the transaction, and sends the transaction before a sweep may delete the
//     hint;
//   - [Sums] copies the counters of host rows to other rows, because one request can read a thousand of these copies;
//   - [Store.OverItems] walks over items, a bounded piece at a time;
//   - [Store.Share] reserves from the budgets that all hosts share;
//   - [Store.Announce] publishes the changes that the transaction of a commit has written to the host row.
package store
