// Package verdict decides what the answer of a source means for its item: unchanged, changed, missing, excluded or
// failed, what the item's row is after that, and when the item is checked next. It is pure: values in, values out.
//
// A check asks these functions in turn:
//
//	Basis.Request   what to ask for, and which validators to send
//	CompareAnswer   what the status, the header and the bytes mean; often that is enough
//	ReadingOf       what a document says, and what of it may be indexed
//	Compare         what the content means: known, new, a soft 404, a failure, not to be read
//	Differing       what differs from the text that is stored, for the feed
//	Record          the item's status, its history and its next check, once the index has answered
//
// A [Basis] has what a check knows beside its item and the answer. An [Outcome] is what was found out; the zero outcome
// is undecided, and the check goes on. A [Placement] says where the content belongs: in the index, out of it, or behind
// another item.
//
// What a site says about itself is made short, printable and free of secrets here, before it reaches a row.
package verdict
