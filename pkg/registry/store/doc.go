// Package store keeps the rows of a registry. It ensures that every due row has a hint by which a sweep finds it,
// even after a crash, and that rows that must change together change in one transaction.
//
// The comment of package registry lists the rows. The parts of that package decide the contents of the rows. This
// package reads and writes them:
//
//   - [Store.ChangeHost] changes a host row and others of its partition, one writer after the other in a process, and
//     decides again if another process was quicker;
//   - [Store.WriteEach] writes several items, and drops those that another writer has changed meanwhile;
//   - [Store.Hinted] writes the hint before the transaction, and sends the transaction before a sweep may delete the
//     hint;
//   - [Sums] copies the counters of host rows to other rows, because one request can read a thousand of these copies;
//   - [Store.OverItems] walks over items, a bounded piece at a time;
//   - [Store.Share] reserves from the budgets that all hosts share;
//   - [Store.Announce] publishes the changes of a commit, which its transaction wrote to the host row.
package store
