// Package embed adds a model's vectors where search uses them: to the chunks of pages ([PageEmbedder]) and to queries
// ([Hybrid]). A vector is computed once for each text and then stored ([Cached]), so a changed page costs only its
// new chunks.
//
// Vectors are optional. Without a model there are none, and while the service is down, search continues with words
// alone. A page whose chunks have no vectors yet is not indexed until it has them, because nobody would notice later
// that they are missing.
//
// # Rows
//
// Table Embeddings: PartitionKey is the first 16 hex digits of the model's SHA-256, a dash and the first two of the
// text's; RowKey is the text's SHA-256 in hex. Column vector: see [encode]. A row is derived from its key, so any
// process may write it at any time, and a lost or damaged row is computed again. The text itself is not stored.
//
// # Cost
//
// A check that finds nothing new costs nothing. Indexing a page reads a row for each chunk, eight at once, and writes
// one for each new chunk.
//
// # Alternatives considered
//
// A blob for each text. In Azure, writing a blob costs about 140 times as much as writing a row, and reading it
// twelve times as much (0.05 and 0.0044 against 0.00036 dollars for 10,000), while a vector of 1,536 numbers is 6 KiB
// and fits in a row. The writes for a page of 20 chunks cost 1.1e-4 dollars against 7e-7 when it is first seen, and
// 2e-5 against 8e-7 when two chunks change; its embeddings, at 0.02 dollars for a million tokens, cost 1.5e-4 and
// 1.5e-5. Storage is dearer for a row than for a blob; the difference adds up to the price of writing the blob in
// three years.
//
// Blobs that pack the vectors of a page or a batch need a row for each text that says where its vector is. That row
// may as well hold the vector.
package embed
