// Package chunk cuts the main content of a page into the pieces that are searched, and names each
// so that a piece whose text did not change keeps its name whatever happens around it.
//
// # Names
//
// A chunk has two. Its [UID] is the chunkUid of spec 002, bit for bit, so that other tools that
// follow the same document join with Tidemark: it follows the words of the chunk, 128 UTF-16 code units
// on either side, and the path of the page. Its [Key] follows the page, the headings and the words
// alone, and is what a search index goes by: a neighbour that changes moves the UID and leaves the
// key. All offsets are in UTF-16 code units of one text, [extract.Join] of the page's blocks.
//
// What stands in listings and tables is a segment: named by its own content ([SegmentUID]), with a
// virtual path of its own, never in one chunk with prose. By the rule of spec 002 an edit in a
// segment renames it, and so the UIDs of all its chunks; their keys stay.
//
// # Cuts
//
// A run is what is below one heading, between segments; a segment is a run of its own. It is made
// of units: paragraphs, or the sentences, lines, rows or words of what is over the [Budget]. A run
// within the budget is one chunk. A longer one is cut where the words say so, not where a count
// does: after the unit whose score is the greatest within a window of tokens on both sides, where
// the end of a paragraph is before the end of a sentence, and otherwise a hash of the words next to
// the cut decides. So an edit moves no cut further away than the window, except between the two anchored
// cuts around it, when that is over the budget; and whatever happens in a run changes no other.
//
// # Alternatives considered
//
// Packing paragraphs up to the budget gives fewer and more even chunks, but one more word in the
// first paragraph of a section may move every cut behind it, and each moved cut is a chunk written
// and embedded again; docs/decisions.md has the figures. Hashes of a sliding window, as
// backup programs use them, cut within words, and need a least and a largest size, with which a cut depends
// on everything before it again.
package chunk
