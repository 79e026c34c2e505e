// Package chunk cuts the main content of a page into the pieces that are searched, and names each piece. A piece
// whose text did not change keeps its name, whatever changes around it.
//
// # Names
//
// A chunk has two names. Its [UID] is the chunkUid of spec 002, bit for bit, so that other tools that process the
// same document can join their output with Tidemark's. The UID depends on the words of the chunk, 128 UTF-16 code
// units on either side, and the path of the page. The [Key] of a chunk depends only on the page, the headings and the
// words, and is the key in a search index: when a neighbour changes, the UID changes and the key stays. All offsets
// are in UTF-16 code units of one text, [extract.Join] of the page's blocks.
//
// Each listing and each table is a segment. It is named after its own content ([SegmentUID]), has a virtual path of
// its own, and is never in one chunk with prose. By the rule of spec 002, an edit in a segment renames the segment,
// and so changes the UIDs of all chunks in it; the keys of these chunks stay.
//
// # Cuts
//
// A run is the text below one heading, between segments; a segment is a run of its own. A run consists of units:
// paragraphs, or the sentences, lines, rows or words of a paragraph that exceeds the [Budget]. A run within the
// budget is one chunk. A longer run is cut at positions determined by its words, not by a count: after the unit whose
// score is the greatest within a window of tokens on both sides. The end of a paragraph scores higher than the end of
// a sentence, and among equals a hash of the words next to the cut decides. So an edit usually moves only cuts within
// the window around the edit. If the part between the two anchored cuts around the edit exceeds the budget, the edit
// may also move other cuts in that part. A change in one run affects no other run.
//
// # Alternatives considered
//
// Packing paragraphs up to the budget gives fewer and more even chunks. But one more word in the first paragraph of a
// section may move every cut after it, and each moved cut is a chunk that is written and embedded again;
// docs/decisions.md has the figures. Hashes of a sliding window, as in backup programs, cut within words. They also
// need a minimum and a maximum size, with which a cut again depends on everything before it.
package chunk
