// Package change compares a reading of a page with the stored state of the page, and decides what has changed: there
// is new content, a new title, other images or metadata, a return to an earlier state, or a collapse that is waiting
// for confirmation. The package only computes: the caller reads the page, stores [Known] between checks and passes
// the time.
//
// # Kinds
//
// The [Kind] of a change is the first in this table that matches:
//
//	new       nothing was known
//	reverted  the body is one of the last eight that the page had before
//	content   the body is different
//	title     the body is the same, the title is not
//	images    body and title are the same, the images are not
//	metadata  only the metadata are not the same
//
// Only new and content are changes of the content, after which a page is checked more often. The index follows every
// kind.
//
// # Collapses
//
// A page that has lost most of its known body is more often broken than rewritten: an error page, a bot wall, the
// front page instead of the article. If less than 30 % of the letters of the known body are left, the reading waits:
//
//	          < 30 % left         < 30 % left         < 30 % left, whatever its content
//	known ───────────────> first ─────────────> second ─────────────> accepted as content
//	  ↑                      │                    │
//	  └──── 30 % or more ────┴────────────────────┘ decided as if there had been no collapse
//
// A reading that a user requests is accepted at once. So is a reading whose body was accepted before: a page that
// returns to an earlier state has not collapsed. If the known body has fewer than [least] letters, no reading waits,
// because so little can be lost.
//
// # How much has changed
//
// For each text, its [Words] are stored: counts of how often its words occur. A later check uses them to measure how
// much of the text is left. Texts are compared as bags of words, in time linear in their lengths. A sentence that
// only moves is not a change.
//
// Alternatives considered: A comparison of lines would report a page as rewritten if one word in each row of its
// table changes. A bounded diff, such as the one that users see, would report a long page as rewritten when its bound
// is reached. Storing the earlier text would cost two more requests for each change.
package change
