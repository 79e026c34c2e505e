// Package snapshot keeps what was fetched: every distinct body once, in a blob named by its SHA-256,
// beside it one immutable capture row per item and body, and an edge for each time that one capture took
// over from another.
//
//	container snapshots  sha256/ab/cd/<64 hex>  the bytes as decoded from the wire; compressed by gzip
//	                                            where that saves a tenth, which its metadata says
//	table Captures
//	  PK <item id>       RK <64 hex raw SHA-256>           the first capture of a body (E4)
//	  PK <item id>       RK <64 hex>|<version>             another of it, under the rules of a later version (B5)
//	  PK <item id>       RK supersedes|<time>|<64 hex>     an edge (B4), newest first
//	  PK <item id>       RK kind|<time>|<64 hex>           what a capture meant to the item then (H7), newest first
//	  PK <item id>       RK tip                            the capture that the item was last found to have, and
//	                                                       how often which words are in it
//	  PK <id of a URI>   RK uri|<version>                  look-up: the newest capture of a canonical URI
//	  PK <content hash>  RK <version>                      look-up: the newest capture of a content
//	table SnapshotRefs
//	  PK <64 hex raw SHA-256>  RK ref|<item id>            the item needs the blob
//	  PK <64 hex raw SHA-256>  RK blob                     there is a blob, or it is being deleted
//	table Runs
//	  PK run             RK <run id>                       one collection effort (B1, B5)
//
// # Saving
//
// The item's reference to the blob comes first, then the blob, then one transaction for the capture,
// the edge, the tip and, for a page that is its own canonical, the look-up by URI; then the look-ups
// elsewhere. A writer that dies in between runs again and finds what is done by the tip: there is no
// second edge. What may stay behind is a blob to which an item refers without a capture.
//
// A capture never changes, so what other rules read in the same body is a capture of its own, beside the first:
// (item, body, version) is unique. Both share the blob, and go with it. Retention counts bodies, and when the
// source last answered with a body is in the row of its first capture.
//
// A page that goes from A to B and back to A has two captures (E4) and two edges: the second, with
// its own time, says that A took over from B. Captures are only ever compared as they were first
// made, so an edge never joins two versions (B3).
//
// A look-up row that does not exist is written by the one request that asks for it, as most contents
// are seen once. So a look-up may name a capture that was never kept, or that is gone: who reads it
// asks for the capture.
//
// An edge says on what grounds a capture took over, in the fields of spec 000 §4.3 and no others. How much of the
// text changed, and of what kind the change is, is in a row beside it.
//
// Save costs three requests to tables and one to blobs for a first capture, four and one for a
// changed page; two more to tables where another page has the same bytes, three where it has the same
// content, two where the canonical URI is another page's. An unchanged page costs nothing.
//
// # Deleting
//
// A blob is deleted with the last capture that needs it. Referring to it and giving it up are
// transactions on its rows: the one that removes the last reference says "being deleted" as well, and
// nobody can refer to the blob again until it is gone, or the deleter's lease of 30 seconds has ended;
// it gives up ten seconds before. A capture's row goes after its blob, because it tells that there is
// something left to do.
//
// # Alternatives considered
//
// Deleting a blob, looking once more whether somebody needs it and putting it back loses the body
// if the deleter dies in between.
//
// A count of references in place of rows would be one row that all pages with the same body contend
// for, and would drift with every write that is repeated.
package snapshot
