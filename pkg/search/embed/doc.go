// Package embed puts a model's vectors where search uses them: at the chunks of pages ([PageEmbedder]) and
// at queries ([Hybrid]). What was computed once for a text is kept ([Cached]), so a page that
// changes pays for the chunks that are new.
//
// Vectors are a help, not a condition: without a model there are none, and while the service is
// down search goes on with words alone. A page whose chunks have no vectors yet waits for them, for
// nobody would miss them later.
//
// # Rows
//
// Table Embeddings: PartitionKey is the first 16 hex digits of the model's SHA-256, a dash and the
// first two of the text's; RowKey the text's SHA-256 in hex. Column vector: see [encode]. A row is
// derived from its key, so anybody may write it at any time, and a lost or damaged one is computed
// again. The text itself is not kept.
//
// # Cost
//
// A check that finds nothing new costs nothing. A page that is indexed reads a row for each chunk,
// eight at once, and writes one for each that is new.
//
// # Alternatives considered
//
// A blob for each text. In Azure a blob's write costs about 140 times a row's and its read twelve
// times (0.05 and 0.0044 against 0.00036 dollars for 10,000), while a vector of 1,536 numbers is
// 6 KiB and fits a row. A page of 20 chunks is 1.1e-4 dollars of writes against 7e-7 when it is
// first seen, and 2e-5 against 8e-7 when two chunks change; its embeddings, at 0.02 dollars for a
// million tokens, are 1.5e-4 and 1.5e-5. What a row's place costs more than a blob's adds up to the
// price of its blob's write in three years.
//
// Blobs that pack the vectors of a page or a batch need a row for each text that says where its
// vector is, which then may as well be the vector.
package embed
