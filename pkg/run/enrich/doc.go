// Package enrich asks a language model what an entry is about: its gist, topics and keywords, the
// fields of tier 1 (D8, D9). One entry is enriched at once, many in batches, which cost half and take
// up to a day. Everything goes through the ports of package llm.
//
// Three graphs ([Graph]) have the same nodes, and share the prompt and the parser ([Parse]):
//
//	              load                  prompt          llm              parse            write
//	sync          the entry             the question    ask              the answer       the entry
//	schedule      claim the entries     a line each     upload, begin    whose batch      the batch
//	collect       the lines that wait   whose ids       read the files   each answer      entries, lines, the batch
//
// The fields are kept with a digest of what the model was shown. An entry whose digest stands is not
// asked about again, whoever asks.
//
// # Batches
//
// Batches are runs of package run, in a table for each schema. They have no queue: a service takes up to a
// day, so [Service.Advance], which a timer calls, has all of them come a step further, in every schema
// whatever the test mode says:
//
//	Tier1Batches<Schema>  PK batch   RK <id>         state, the service's id, numbers, lease
//	                      PK batch   RK active|<id>  while it goes on; whether it is to be cancelled
//	                      PK <id>    RK <line>       entry, what became of it, tokens
//
//	queued ──► sending ──► running ──► done
//
// A step takes a lease by compare-and-swap, and whoever lost it writes nothing. Each step may die
// anywhere. Entries are claimed by their own compare-and-swap before they are sent, so that two
// batches never ask about the same one. A batch that died while sending may have begun at the service
// or not: it is looked for by its label in the service's list, and sent only if it is not there. The
// id of a line at the service carries the digest, so whatever comes back is known for what it answers.
// While collecting, entries are written before their lines, a hundred at a time; what is written twice
// is the same.
//
// What came back without an answer that can be used (expired, missing, broken, refused for now) and
// entries that changed meanwhile go into a next batch, at most [MaxAttempts] in all; its id is that of
// the first with a number, so that making it twice is making it once. What a service will never answer
// has failed. The files of a batch that is done are removed; the batch itself 30 days later.
//
// A batch that is to be cancelled ([Service.Cancel]) goes on until it is: one that the service has is
// cancelled there and collected when it is over, so what was answered is used; one that it does not have
// ends at once. What is left then, or would be asked again, is recorded as cancelled, and its entries are
// free for other batches. As the next attempt is made by the transaction that ends the one before,
// there is always one that can be cancelled.
//
// # Costs
//
// While no batch goes on, a step of the timer is one query for each schema; for each that does, one read
// and one request to the service; cancelling one costs two more writes and a request, removing it a query,
// a write, and one for each hundred lines. Old ones are looked for once an hour. An entry costs two
// reads, two writes of its own, and 1/50 of a transaction for its line.
//
// # Alternatives considered
//
// Graph libraries were measured: eino adds 11.4 MB to the executable, langgraphgo 325 modules to the
// build. What is needed of them is 60 lines.
package enrich
