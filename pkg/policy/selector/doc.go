// Package selector finds the elements of a page by CSS selectors, in bounded time for any page.
//
// Package cascadia compares one element with what a selector says about it alone. Combinators, and the
// pseudo-classes :is, :where, :not, :has and :lang, are matched here.
//
// # What elements say
//
// Three more pseudo-classes find elements by what a page says of them:
//   - :named("Great Hall") is one element with that name: see [Page.Names]. Further texts are lines that it has,
//     too, such as :named("Court 1", "9:00").
//   - :column("Time") is a cell of the column with that header, which is in the thead or the first row of a table.
//     Further texts are further headers of the column.
//   - :under("Opening hours") stands under the nearest heading with that text, before the next heading of its
//     level or a higher one. A heading counts up to the end of the element that it is in, unless it is alone there.
//
// In a text * stands for any text. Case, blanks and a colon at the end do not count. If several elements have the
// name, or several headings or columns the text, nothing is found, and the error is [ErrAmbiguous]: one of them
// would be taken for another. Elements that attributes hide do not count beside one that is not hidden. Within :not,
// :has and :is a name may be for several elements.
//
// # Bounds
//
// Each selector is matched in one walk over the tree, whatever combinators it has: the matches at an element follow
// from those of its parent and its earlier siblings. What examines more than the element itself has a budget of
// steps for the page: pseudo-classes that count siblings, and those that read or search around or below an element.
//
// Alternatives considered: To match combinators, cascadia examines all ancestors or siblings again for each part of
// a selector. So a page can make the time grow with a power of the page's size.
package selector
