// Package discover finds the addresses of a site's pages in what the site publishes about itself: sitemaps, feeds,
// listing pages, and archives whose addresses follow dates. It also recognizes endless spaces of addresses, such as
// calendars, which a crawler must not follow.
//
// No input makes the package panic, use unbounded memory or run for long. If a document contains a mistake,
// everything usable before the mistake is kept. The same bytes always give the same links in the same order. The
// package implements E2, E8 and E15 of the requirements (spec 004). It uses no context, clock or network. The caller,
// pkg/run/backfill, decides which documents to fetch, when to fetch them, and what to do with the links.
//
// Addresses are returned in the form in which they should be requested (source.FetchForm), without repeats within one
// document. site.Site.Judge decides which of them a site wants.
//
// # Alternatives considered
//
// encoding/xml stops at the first byte that is not UTF-8, at control characters and at a bare "<". It also holds a
// whole text in memory before its length can be checked. Real sitemaps contain all of these. gofeed reads feeds well,
// but it builds a tree, of 50 MB in the worst case, and adds 1.07 MB to the executable, which makes a start slower.
// Only the addresses and dates of a feed are needed. The code that reads sitemaps can read these, too, with only
// three more element names.
package discover
