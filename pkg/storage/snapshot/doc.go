// Package snapshot stores fetched content. It keeps every distinct body once, in a blob named by its SHA-256. Beside
// the blob, it keeps one immutable capture row per item and body, and an edge for each time that one capture
// superseded another.
//
//	container snapshots  sha256/ab/cd/<64 hex>  the bytes as decoded from the wire; compressed by gzip
//	                                            where that saves a tenth, as the blob's metadata says
//	table Captures
//	  PK <item id>       RK <64 hex raw SHA-256>           the first capture of a body (E4)
//	  PK <item id>       RK <64 hex>|<version>             a further capture of the body, under a later version (B5)
//	  PK <item id>       RK supersedes|<time>|<64 hex>     an edge (B4), newest first
//	  PK <item id>       RK kind|<time>|<64 hex>           the item's change with that capture (H7), newest first;
//	                                                       the first content's change is in its capture
//	  PK <item id>       RK tip                            the capture with which the item was last found, and its
//	                                                       words with the number of times that each occurs
//	  PK <id of a URI>   RK uri|<version>                  look-up: the newest capture of a canonical URI, unless
//	                                                       the tip of the URI's item says it
//	  PK <content hash>  RK <version>                      look-up: the newest capture of a content
//	table SnapshotRefs
//	  PK <64 hex raw SHA-256>  RK ref|<item id>            the item needs the blob
//	  PK <64 hex raw SHA-256>  RK blob                     the blob exists, or is being deleted
//	table Runs
//	  PK run             RK <run id>                       one collection effort (B1, B5)
//
// # Saving
//
// Save first writes the item's reference to the blob, then the blob. Then one transaction writes the capture, the
// edge and the tip. The look-ups in other partitions come last. If a process dies before the end, the next Save learns
// from the tip which steps are done, so it writes no second edge. Only a blob with an item's reference but without a
// capture may remain.
//
// A page whose canonical URI is its own address has no look-up row by URI: within one version, the tip names the
// capture and the URI. A search for captures of the URI reads the row and the tip, and takes the newer of the two. The
// transaction writes the row only if it exists, or if the page gets another canonical URI, so that the tip no longer
// names its own. The row exists if another page has or had this canonical URI.
//
// A capture never changes. When other rules read the same body, the result is another capture beside the first: the
// combination (item, body, version) is unique. Both captures share the blob and are removed with it. Retention counts
// bodies, not captures. The row of a body's first capture holds the time when the source last answered with the body.
//
// A page that goes from A to B and back to A has two captures (E4) and two edges. The second edge has its own time
// and says that A superseded B. Captures are compared only in the form in which they were first made, so an edge
// never joins two versions (B3).
//
// If a look-up row does not exist, the request that would read it writes it, because most contents are seen only
// once. So a look-up row may refer to a capture that was never kept or that was removed. Readers of a look-up row
// must check that its capture exists.
//
// An edge gives the reason why a capture superseded another, in the fields of spec 000 §4.3 and no others. A row
// beside the edge holds the kind of the change and how much of the text changed. An item's first content has no edge,
// so its change is a column of the capture.
//
// For a first capture, Save costs three requests to tables and one to blobs. For a changed page it costs five and
// one, including the two reads of [Store.Last]. There are further requests to tables: two if another page has the
// same bytes, three if another page has the same content, and three if the canonical URI belongs to another page. An
// unchanged page costs nothing.
//
// # Deleting
//
// A blob is deleted with the last capture that needs it. Acquiring and releasing a reference are transactions on the
// blob's rows. The transaction that removes the last reference also records that the blob is being deleted. From then
// on, no item can acquire the blob until it is deleted, or until the deleter's lease of 30 seconds has ended. The
// deleter gives up ten seconds before the end of the lease. A capture's row is removed after its blob, because the
// row shows that there is work left.
//
// # Alternatives considered
//
// Deleting a blob first, and restoring it if another check finds that an item needs it. If the deleter died in
// between, the body would be lost.
//
// A count of references, instead of one row per reference. All pages with the same body would contend for this single
// row, and repeated writes would make the count wrong.
package snapshot
