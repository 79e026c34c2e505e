// Package sqlitestore implements the storage port in a folder of one machine. It needs no services. No acknowledged
// write is lost when the process is killed or the power fails, except the last deferred ones ([storage.Deferred]).
// Package storagetest tests this package against the port.
//
// # The folder
//
//	state.db (-wal, -shm)   SQLite: rows, messages, and the list of blobs
//	blobs/                  the bodies of blobs over 32 KiB (bodies.go)
//	lock.next, lock.now     the order of writing processes (writelock_unix.go)
//	lock.open               shared by all processes that use the folder (leftovers.go)
//	lock.backup             held during a backup (backup.go)
//
// The tables are
//
//	created   id, kind, name: the tables, queues and containers; the tables below use the id instead of the name
//	counter   n: the last revision, receipt or message id issued; each is issued once
//	rows      (tbl, part, row) → rev, props: the columns in one value (row.go)
//	messages  id → queue, visible, receipt, dequeued, inserted, body; by (queue, visible, id)
//	blobs     (container, name) → file, size, sum, type, metadata, body if it is small; by file
//
// [Backup] copies a store while the store is in use. SQLite copies the state of the database at one moment. The files
// to which the database refers never change and are copied afterwards. A lock keeps the files of blobs that are
// deleted in the meantime. [Restore] makes a store from the backup and verifies it. Alternatively, stop the program
// and copy the folder.
//
// # Durability
//
// Every write that is not deferred is synced before it is acknowledged (synchronous=FULL under WAL,
// https://sqlite.org/pragma.html#pragma_synchronous). A blob's body and its name are synced before its row is
// written. A write spends most of its time in syncs. It was measured on ext4, on a virtual disk that syncs in 0.2 ms
// when idle. A transaction of one row took 0.15 to 0.25 ms, a transaction of 97 rows 2 ms, and sending, receiving and
// deleting a message 0.6 ms. Without the sync, one row took 0.11 ms. A disk that acknowledges a sync without keeping
// the data breaks the promise, and no program can detect that.
//
// # Joined writes
//
// One goroutine writes. Writes that arrive while it syncs are joined in its next transaction. Each write has its own
// savepoint, so a refusal does not affect the other writes, and one sync is enough for all. No write waits for others
// to arrive. With 16 writers of one row, a write took 0.08 ms instead of 0.22 ms. While other programs kept the disk
// busy, it took 0.13 to 0.27 ms instead of 0.19 to 2.6 ms. Transactions of 97 rows are limited by the processor and
// gain nothing.
//
// # Deferred writes
//
// A transaction of deferred writes stays open until a write must wait for the disk, or the limits of the port are
// reached (held.go). So the five writes of a crawled page share one commit with those of other pages. Reads use other
// connections, which do not see the transaction. A read of what it has changed commits it first. A body's marker stays
// until the row of its blob is durable. If no other process uses a folder when it is opened, bodies that have a marker
// and no row are removed at once.
//
// # Processes
//
// Several processes may use a folder at once. Each process sees all writes that were acknowledged to the others. The
// processes queue for the right to write, because SQLite's lock alone is unfair. Beside a process that wrote without
// a pause, a write took 0.5 s (at worst 3.6 s). With the queue, it takes 1.5 ms (at worst 8 ms). A call waits for
// other processes for up to 30 s, and then returns Unavailable. The folder must be on a local disk, because WAL needs
// memory that all processes share.
//
// # Reading
//
// A few connections read while the writer writes. Queries and lists read page by page, with a snapshot for each page,
// so a slow caller blocks nobody. A receive from an empty queue only reads.
//
// # Alternatives considered
//
// Storing all bodies in files was measured. A blob of 20 KB took 10.6 ms instead of 1.3 ms on a busy disk, and 2.4 ms
// instead of 0.65 ms with 16 writers. Storing all bodies in the database would copy every byte of the large ones
// through the log, and delay the other writers. SQLite's NORMAL mode syncs only now and then. A power failure would
// lose the last writes, although their success had already been reported to users.
package sqlitestore
