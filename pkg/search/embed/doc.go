// Package embed adds a model's vectors where search uses them: to the chunks of pages ([PageEmbedder]) and to queries
// ([Hybrid]). A vector is computed once for each text and then stored ([Cached]). So a changed page costs only the
// vectors of its new chunks.
//
// Vectors are optional. Without a model there are none. While the model's service is down, only the words of a query
// count. A page whose chunks lack vectors is not indexed until it has them, because nobody would notice later that
// they are missing.
//
// # Rows
//
// Table Embeddings: the PartitionKey is the first 16 hex digits of the SHA-256 of the model's name, a dash, and the
// first two hex digits of the SHA-256 of the text. The RowKey is the SHA-256 of the text in hex. The column vector is
// as in [encode]. A row depends only on its key. So any process may write it at any time, and a lost or damaged row
// is computed again. The text itself is not stored.
//
// # Cost
//
// A check that finds nothing new costs nothing. Indexing a page reads one row for each chunk, eight at once, and
// writes one row for each new chunk.
//
// # Alternatives considered
//
// A blob for each text. In Azure, writing a blob costs about 140 times as much as writing a row, and reading it
// twelve times as much (0.05 and 0.0044 against 0.00036 dollars for 10,000). A vector of 1,536 numbers is 6 KiB and
// fits in a row. For a page of 20 chunks, the writes cost 1.1e-4 dollars as blobs and 7e-7 as rows when the page is
// first seen, and 2e-5 and 8e-7 when two chunks change. The page's embeddings, at 0.02 dollars for a million tokens,
// cost 1.5e-4 and 1.5e-5. Storing a row costs more than storing a blob, but the difference takes three years to add
// up to the price of writing the blob.
//
// Blobs that pack the vectors of a page or a batch. Each text would need a row that says where its vector is. That
// row may as well hold the vector.
package embed
