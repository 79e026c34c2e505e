// Package selector finds the elements of a page by CSS selectors, in bounded time for any page.
//
// Package cascadia compares one element with what a selector says about it alone. Combinators, and the pseudo-classes
// :is, :where, :not, :has and :lang, are matched here.
//
// # Bounds
//
// Each selector is matched in one walk over the tree, whatever combinators it has: the matches at an element follow from
// those of its parent and its earlier siblings. What examines more than the element itself has a budget of steps for the
// page: pseudo-classes that count siblings, and those that search around or below an element.
//
// Alternatives considered: To match combinators, cascadia examines all ancestors or siblings again for each part of a
// selector. So a page can make the time grow with a power of the page's size.
package selector
