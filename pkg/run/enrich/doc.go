// Package enrich asks a language model what an entry is about: its gist, topics and keywords, the fields of tier 1
// (D8, D9). A single entry is enriched immediately. Many entries are enriched in batches, which cost half the price
// and may take a day. All requests use the ports of package llm.
//
// Three graphs ([graph]) have the same nodes, and share the prompt and the parser (parse):
//
//	              load                  prompt          llm              parse            write
//	sync          the entry             the question    ask              the answer       the entry
//	schedule      claim the entries     a line each     upload, begin    check the label  the batch
//	collect       the lines that wait   expected ids    read the files   each answer      entries, lines, the batch
//
// The fields are stored with a digest of the question. While that digest is current, the model is not asked about the
// entry again, whether alone or in a batch.
//
// # Batches
//
// Batches are runs of package run, in a table for each schema. They have no queue, because a service may take a day.
// Instead a timer calls [Service.Advance], which performs a step for each batch in every schema, whatever the test
// mode:
//
//	Tier1Batches<Schema>  PK batch   RK <id>         state, the service's id, numbers, lease
//	                      PK batch   RK active|<id>  while it is active; whether to cancel it
//	                      PK <id>    RK <line>       entry, outcome, tokens
//
//	queued ──► sending ──► running ──► done
//
// A step acquires a lease by compare-and-swap; a process that does not get the lease writes nothing. The process of a
// step may die at any point. Entries are claimed by their own compare-and-swap before they are sent, so that two
// batches never ask about the same entry. If a step died while it sent a batch, the batch may or may not have
// arrived. The next step searches the service's list for the label of the batch, and sends the batch only if it is
// missing. The id of a line at the service contains the digest, so every result can be matched with its question.
// While collecting, entries are written before their lines, a hundred at a time; repeated writes have the same
// values.
//
// Lines without a usable answer (expired, missing, broken, refused for now), and lines whose entry has changed, go
// into a next batch. There are at most maxAttempts batches in all. The id of a next batch is the first batch's id
// with a number, so creating it twice has no further effect. A line that the service will never answer has failed.
// The files of a finished batch are removed at once, and the batch itself 30 days later.
//
// A batch whose cancellation was requested ([Service.Cancel]) stays active until it is cancelled. If the service has
// the batch, the batch is cancelled there, and collected when the service has finished it, so its answers are used.
// If the service does not have the batch, it ends immediately. Lines that are then still open, or would be asked
// about again, are recorded as cancelled, and their entries are free for other batches. The transaction that ends an
// attempt also creates the next one, so there is always a batch that can be cancelled.
//
// # Costs
//
// While no batch is active, a step of the timer costs one query for each schema. Each active batch costs one read and
// one request to the service. Cancelling a batch costs two more writes and a request. Removing a batch costs a query,
// a write, and a write for each hundred lines. The search for old batches runs once an hour. An entry costs two
// reads, two writes of its own, and 1/50 of a transaction for its line.
//
// # Alternatives considered
//
// Graph libraries were measured: eino adds 11.4 MB to the executable, langgraphgo 325 modules to the build. The 60
// lines in this package replace the parts of them that are needed.
package enrich
