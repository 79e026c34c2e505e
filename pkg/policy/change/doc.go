// Package change says what a reading of a page means against what is remembered of the page: new
// content, a new title, other images or metadata, a return to an earlier state, or a collapse that
// waits. It is arithmetic on values: the caller reads the page, keeps [Known] between checks and brings
// the clock.
//
// # Kinds
//
// The first that fits is the [Kind] of a change:
//
//	new       nothing was known
//	reverted  the body is one of the last eight that the page had before
//	content   the body is another
//	title     the body is the same, the title is not
//	images    body and title are the same, the images are not
//	metadata  only the metadata are not the same
//
// Only new and content are changes of the content, after which a page is checked more often. What the
// index holds follows each of them.
//
// # Collapses
//
// A page whose known body is all but gone is more often broken than rewritten: an error shell, a bot wall, the
// front page in its place. When less than 30 % of the letters of the known body are left, the reading waits:
//
//	          < 30 % left         < 30 % left         < 30 % left, whatever it says
//	known ───────────────> first ─────────────> second ─────────────> accepted as content
//	  ↑                      │                    │
//	  └──── 30 % or more ────┴────────────────────┘ decided as if there had been no collapse
//
// A reading that a person asks for is accepted at once, and so is one that was accepted before: a return
// is no surprise. A body of fewer than [least] letters has too little to lose to wait for.
//
// # How much has changed
//
// [Words] is what is remembered of a text to tell later how much of it is left: how often its words
// occur. Texts are compared as bags of words, in time linear in their lengths, and a sentence that only moves
// is no change. Alternatives considered: lines call a page rewritten when one word of each row of its table
// changes; a diff with bounds, as the one by which people are shown what differs, calls a long page rewritten
// when its bound is reached; the earlier text itself costs two more requests for each change.
package change
