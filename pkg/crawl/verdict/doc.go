// Package verdict decides what the answer of a source means for its item (unchanged, changed, missing, excluded or
// failed), what is written to the item's row, and when the item is checked next. The package is pure: it takes values
// and returns values.
//
// A check calls these functions in this order:
//
//	Basis.Request   decides what to request, and which validators to send
//	CompareAnswer   decides the outcome by the status, the header and the bytes; often that is enough
//	ReadingOf       finds what a document contains, and what of it may be indexed
//	Compare         decides the outcome by the content: known, new, a soft 404, a failure, unreadable
//	Differing       finds what differs from the stored text, for the feed
//	Record          sets the item's status, its history and its next check, once the index has answered
//
// A [Basis] is what a check knows besides its item and the answer. An [Outcome] is the result of a check. If the
// outcome is undecided, as the zero outcome is, the check continues. A [Placement] states where the content belongs:
// in the index, out of it, or behind another item.
//
// This package makes all texts that a site controls short, printable and free of secrets, before they are written to
// a row.
package verdict
