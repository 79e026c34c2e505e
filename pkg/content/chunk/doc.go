// Package chunk cuts the main content of a page into the pieces that are searched, and names each piece. A piece
// keeps its name while its own text stays the same, whatever changes around it.
//
// # Names
//
// A chunk has two names. Its [UID] is the chunkUid of spec 002, bit for bit, so that other tools that process the
// same document can join their output with Tidemark's. The UID depends on the words of the chunk, on 128 UTF-16 code
// units on either side, and on the path of the page. The second name is the [Key] of the chunk in a search index. It
// depends only on the page, the headings and the words. When the text next to a chunk changes, the UID changes and
// the key stays. All offsets are in UTF-16 code units of one text: the result of [extract.Join] for the page's
// blocks.
//
// Each listing and each table is a segment. A segment is named after its own content (segmentUID), has a virtual
// path of its own, and never shares a chunk with prose. By the rule of spec 002, an edit in a segment renames the
// segment and therefore changes the UIDs of all its chunks. The keys of these chunks stay.
// A file that is one listing or table, such as one of source code, is the document and has no segment.
//
// # Cuts
//
// A run is the text below one heading, between segments; a segment is a run of its own. A run consists of atoms:
// paragraphs, or the sentences, lines, rows or words of a paragraph that exceeds the [Budget]. A run within the
// budget is one chunk. The positions at which a longer run is cut depend on its words, not on a count: a cut follows
// each atom whose score is the greatest within a window of tokens on both sides. The end of a paragraph scores higher
// than the end of a sentence. Among equals, a hash of the words next to the cut decides. So an edit usually moves
// only cuts within the window around the edit. If the text between the two nearest such cuts exceeds the budget, it
// is cut again, and the edit may move these cuts too. A change in one run affects no other run.
//
// # Units
//
// A reader needs more than a chunk where a text announces a listing, or where a section is cut into small pieces of
// several kinds. A unit is one chunk, or several that follow each other and that a reader is given as a whole. The
// chunks keep their names: a unit is only where [Chunk.Joined] says so.
//
// # Alternatives considered
//
// Packing paragraphs up to the budget gives fewer and more even chunks. But then one more word in the first paragraph
// of a section may move every cut after it. For each moved cut a chunk is written and embedded again;
// docs/decisions.md has the figures. Hashes of a sliding window, as in backup programs, cut within words. They also
// need a minimum and a maximum size, and with these a cut again depends on everything before it.
package chunk
